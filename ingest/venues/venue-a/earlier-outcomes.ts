/**
 * Decides which earlier outcomes to request: those that ended before the first start of the service. Ids ascend, so these
 * are all unlisted ids below the newest listed one. Each is requested once, in descending order. Pure.
 */

/** Requests in one round and in a minute, after all others for settlements. */
export const EARLIER_PER_MINUTE = 8;
const INTERVAL_MS = 60_000;
/** Delay after a start, when other requests are more important. */
export const EARLIER_DELAY_MS = 5 * 60_000;

/** An outcome is skipped after this many failed attempts in a row. */
export const EARLIER_ATTEMPTS_MAX = 5;

export class EarlierOutcomes {
  private lowest: number | null;
  private dueAt: number;
  private failures = 0;

  /** @param cursor of an earlier process; null if there is none. @param now monotonic ms. */
  constructor(cursor: number | null, now: number) {
    this.lowest = cursor;
    this.dueAt = now + EARLIER_DELAY_MS;
  }

  /** The outcome that was requested last, from which a restart continues; null if none was. */
  get cursor(): number | null {
    return this.lowest;
  }

  /** Returns the outcomes to request now. @param listed listed outcomes. */
  due(listed: readonly number[], now: number): number[] {
    if (now < this.dueAt || listed.length === 0) return [];
    this.dueAt = now + INTERVAL_MS;
    const live = new Set(listed);
    const outcomes: number[] = [];
    const highest = this.lowest ?? Math.max(...listed) + 1;
    for (let id = highest - 1; id >= 0 && outcomes.length < EARLIER_PER_MINUTE; id -= 1) {
      if (!live.has(id)) outcomes.push(id);
    }
    return outcomes;
  }

  /** Records that an outcome was requested. */
  recordRequested(outcome: number): void {
    this.lowest = outcome;
    this.failures = 0;
  }

  /** Records a failed request. @returns true if the outcome is skipped from now on. */
  recordFailure(outcome: number): boolean {
    this.failures += 1;
    if (this.failures < EARLIER_ATTEMPTS_MAX) return false;
    this.lowest = outcome;
    this.failures = 0;
    return true;
  }
}
