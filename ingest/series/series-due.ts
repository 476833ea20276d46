import type { Window } from '#schemas/domain/returns/series';

const HOUR_MS = 3_600_000;
/** A response that the stage did not process within this time is requested again. */
const UNPROCESSED_MS = 10 * 60_000;
/** Wait after the first failure; it doubles up to ten minutes. */
const RETRY_MS = 30_000;
const RETRY_MAX_MS = 10 * 60_000;

export interface DueSeries {
  readonly address: string;
  readonly window: Window;
}

interface Entry extends DueSeries {
  dueAt: number;
  failures: number;
}

/** Which series is requested next: the one that is due longest. */
export class SeriesDue {
  private readonly entries = new Map<string, Entry>();
  private readonly now: () => number;

  /** @param now unix ms. */
  constructor(now: () => number) {
    this.now = now;
  }

  /** @param observedAt of the newest response, unix ms; null without one. */
  follow(key: string, series: DueSeries, observedAt: number | null): void {
    const dueAt = observedAt === null ? this.now() : observedAt + HOUR_MS;
    this.entries.set(key, { ...series, dueAt, failures: 0 });
  }

  remove(key: string): void {
    this.entries.delete(key);
  }

  next(): DueSeries | null {
    let next: Entry | null = null;
    for (const entry of this.entries.values())
      if (entry.dueAt <= this.now() && (next === null || entry.dueAt < next.dueAt)) next = entry;
    return next;
  }

  /**
   * Makes the series of an account due now. Of a venue whose response has all windows this is the one that is requested.
   * Does nothing for an account that is not followed.
   */
  makeDue(address: string, window: Window): void {
    const ofAccount = [...this.entries.values()].filter((entry) => entry.address === address);
    const ofWindow = ofAccount.filter((entry) => entry.window === window);
    for (const entry of ofWindow.length > 0 ? ofWindow : ofAccount) {
      entry.dueAt = Math.min(entry.dueAt, this.now());
      entry.failures = 0;
    }
  }

  markSent(series: DueSeries): void {
    const entry = series as Entry;
    entry.dueAt = this.now() + UNPROCESSED_MS;
  }

  /** From when a series is requested again, unless the stage processes a response before, unix ms. */
  dueAt(series: DueSeries): number {
    return (series as Entry).dueAt;
  }

  markFailed(series: DueSeries): void {
    const entry = series as Entry;
    entry.dueAt = this.now() + Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** entry.failures);
    entry.failures += 1;
  }
}
