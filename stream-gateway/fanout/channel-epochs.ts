import type { LogRecord } from '#infra/log/log';

/** What stands for the epoch of a topic that nobody has written yet. */
const NO_EPOCH = 'none';
/** How long after a rebuild records of the epoch before may still be on their way from a reader's buffers. */
const LEFTOVERS_MS = 60_000;

/** The epoch of each channel topic, as far as the fan-out has got. */
export class ChannelEpochs {
  private readonly current = new Map<string, string>();
  /** When the epoch at hand was appended, and until when older records of the topic are looked for. */
  private readonly begun = new Map<string, { readonly appendedAt: number; readonly untilMs: number }>();

  of(topic: string): string {
    return this.current.get(topic) ?? NO_EPOCH;
  }

  has(topic: string): boolean {
    return this.current.has(topic);
  }

  /** Notes what was read from the log for topics that none is known of; `topic` has none when the log has none. */
  fill(epochs: ReadonlyMap<string, string>, topic: string): void {
    for (const [name, epoch] of epochs) if (!this.current.has(name)) this.current.set(name, epoch);
    // It was written without one: its numbers hold all the same.
    if (!this.current.has(topic)) this.current.set(topic, NO_EPOCH);
  }

  /**
   * Goes on to an epoch. Gives the one that it ends, or null where there was none.
   * @param appendedAt of the record that tells of it, unix ms; null when that is not at hand.
   */
  begin(topic: string, epoch: string, appendedAt: number | null): string | null {
    const before = this.of(topic);
    this.current.set(topic, epoch);
    if (before === NO_EPOCH) return null;
    if (appendedAt !== null) this.begun.set(topic, { appendedAt, untilMs: performance.now() + LEFTOVERS_MS });
    return before;
  }

  /** Whether a record was written in an epoch that is over: a rebuild has removed it, and its number means nothing now. */
  isLeftOver({ topic, appendedAt }: LogRecord): boolean {
    if (this.begun.size === 0) return false;
    const begun = this.begun.get(topic);
    if (!begun) return false;
    if (performance.now() < begun.untilMs) return appendedAt < begun.appendedAt;
    this.begun.delete(topic);
    return false;
  }
}
