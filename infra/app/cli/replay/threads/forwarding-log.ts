import { delegatingLog } from '../../../../log/delegating-log.ts';
import type { AppendRecord, EventLog } from '../../../../log/log.ts';

/**
 * The log of a thread: it reads by itself and appends through the thread that writes the log. Nobody waits for the
 * watermarks of a rebuild, so they are dropped.
 */
export function forwardingLog(
  reading: EventLog,
  append: (records: readonly AppendRecord[]) => Promise<void>,
): EventLog {
  // Topics exist already: a reading log only checks that.
  return delegatingLog(reading, { append, advance: () => {} });
}
