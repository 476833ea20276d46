import { vi } from 'vitest';
import type { EventLog } from '../log/log.ts';

/** A poll of such a log takes as long. */
const POLL_MS = 20_000;

/**
 * A log that gives one record a poll, each of which takes 20 s by a clock that the caller has replaced (`toFake:
 * ['Date']`); of a topic that is `silent` it gives none, as when its broker is away.
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
