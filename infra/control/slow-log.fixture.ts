import { vi } from 'vitest';
import type { EventLog } from '../log/log.ts';

/** Duration of a poll. */
const POLL_MS = 20_000;

/**
 * A log that returns one record per poll, each of which takes 20 s on a clock that the caller has faked (`toFake:
 * ['Date']`). With `silent` it returns no record of the topic, as when its broker is unavailable.
 */
export function slowLog(log: EventLog, topic: string, { silent }: { readonly silent: boolean }) {
  const slow: EventLog = Object.create(log);
  let open = 0;
  slow.reader = async (from) => {
    const reader = await log.reader(from);
    if (from.every((at) => at.topic !== topic)) return reader;
    open += 1;
    return {
      pause: (at, paused) => reader.pause(at, paused),
      endWaits: () => reader.endWaits(),
      poll: async () => {
        vi.setSystemTime(Date.now() + POLL_MS);
        return silent ? { records: [], watermarks: [] } : reader.poll(1, 50);
      },
      close: async () => {
        open -= 1;
        await reader.close();
      },
    };
  };
  return { log: slow, openReaders: () => open };
}
