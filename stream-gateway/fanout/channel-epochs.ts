import type { LogRecord } from '#infra/log/log';

/** The epoch of a topic that nobody has written yet. */
const NO_EPOCH = 'none';
/** How long after a rebuild records of the previous epoch may still arrive from a reader's buffers. */
const OLD_EPOCH_RECORDS_MS = 60_000;

/** The epoch of each channel topic at the position of the fan-out. */
export class ChannelEpochs {
  private readonly current = new Map<string, string>();
  /** When the current epoch was appended, and until when records are checked for being older. */
  private readonly started = new Map<string, { readonly appendedAt: number; readonly untilMs: number }>();

  of(topic: string): string {
    return this.current.get(topic) ?? NO_EPOCH;
  }

  has(topic: string): boolean {
    return this.current.has(topic);
  }

  /**
   * Stores the epochs read from the log for topics that have none here; `topic` gets a placeholder if the log has none.
   */
  fill(epochs: ReadonlyMap<string, string>, topic: string): void {
    for (const [name, epoch] of epochs) if (!this.current.has(name)) this.current.set(name, epoch);
    // It was written without an epoch: its numbers hold nevertheless.
    if (!this.current.has(topic)) this.current.set(topic, NO_EPOCH);
  }

  /**
   * Switches a topic to an epoch. Returns the previous one, or null if there was none.
   * @param appendedAt of the record that announced the epoch, unix ms; null if that record was not read.
   */
  begin(topic: string, epoch: string, appendedAt: number | null): string | null {
    const before = this.of(topic);
    this.current.set(topic, epoch);
    if (before === NO_EPOCH) return null;
    if (appendedAt !== null) this.started.set(topic, { appendedAt, untilMs: performance.now() + OLD_EPOCH_RECORDS_MS });
    return before;
  }

  /** True if a record was written in a previous epoch: a rebuild has removed it, and its number is no longer valid. */
  isFromOldEpoch({ topic, appendedAt }: LogRecord): boolean {
    if (this.started.size === 0) return false;
    const started = this.started.get(topic);
    if (!started) return false;
    if (performance.now() < started.untilMs) return appendedAt < started.appendedAt;
    this.started.delete(topic);
    return false;
  }
}
