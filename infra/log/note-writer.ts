import { isTransient, type RetryOptions, retry } from '../runtime/retry.ts';
import type { AppendRecord, EventLog } from './log.ts';
import { OrderedAppender } from './ordered-appender.ts';

/**
 * Writes the records of a topic that has one writer at a time, such as notes of how far a process came. Their times never
 * decrease, also if the clock was set back since the last one.
 */
export class NoteWriter {
  private readonly appender: OrderedAppender;
  private readonly newestAt: number;

  /** @param newestAt time of the newest record of the topic; 0 without one. */
  constructor(log: Pick<EventLog, 'append'>, newestAt: number) {
    this.appender = new OrderedAppender((records) => log.append(records));
    this.newestAt = newestAt;
  }

  /** Resolves when the record is in the log. After a transient error it tries again until the signal aborts. */
  write(
    makeRecord: (receivedAt: number) => AppendRecord,
    signal: AbortSignal,
    onFailure?: RetryOptions['onFailure'],
  ): Promise<void> {
    const append = () => this.appender.append((at) => makeRecord(Math.max(at, this.newestAt)));
    return retry(append, {
      canRetry: (error) => !signal.aborted && isTransient(error),
      ...(onFailure ? { onFailure } : {}),
      signal,
    });
  }
}
