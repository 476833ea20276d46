/**
 * Decides which earlier outcomes to request: those that ended before the first start of the service. Ids ascend, so these
 * are all unlisted ids below the newest listed one. Each is requested once, in descending order. Pure.
 */

/** Requests in one round and in a minute: 160 of the budget's weight of 600, after all other requests. */
export const EARLIER_PER_MINUTE = 8;
const INTERVAL_MS = 60_000;
/** Delay after a start, when other requests are more important. */
export const EARLIER_DELAY_MS = 5 * 60_000;
/** The request of the cursor is repeated after this many answers of the venue, so that a restart finds it in the log. */
export const EARLIER_CURSOR_EVERY = 200;

/** An outcome is skipped after this many failed attempts in a row. */
export const EARLIER_ATTEMPTS_MAX = 5;

/** How far the crawl came, as the log shows it. */
export interface EarlierCursor {
  /** The outcome that was requested last. */
  readonly outcome: number;
  /** Answers that were published after it. */
  readonly answersSince: number;
}

export class EarlierOutcomes {
  private lowest: number | null;
  private dueAt: number;
  private publishedCountAtCursor: number;
  private failures = 0;

  /** @param cursor of an earlier process; null if there is none. @param now monotonic ms. */
  constructor(cursor: EarlierCursor | null, now: number) {
    this.lowest = cursor?.outcome ?? null;
    this.publishedCountAtCursor = -(cursor?.answersSince ?? 0);
    this.dueAt = now + EARLIER_DELAY_MS;
  }

  /**
   * Returns the outcomes to request now.
   * @param listed listed outcomes. @param publishedCount answers published so far.
   */
  due(listed: readonly number[], publishedCount: number, now: number): number[] {
    if (now < this.dueAt || listed.length === 0) return [];
    this.dueAt = now + INTERVAL_MS;
    this.lowest ??= Math.max(...listed) + 1;
    const live = new Set(listed);
    const outcomes: number[] = [];
    for (let id = this.lowest - 1; id >= 0 && outcomes.length < EARLIER_PER_MINUTE; id -= 1) {
      if (!live.has(id)) outcomes.push(id);
    }
    return outcomes.length > 0 ? outcomes : this.repeatedCursor(publishedCount);
  }

  /** Returns the outcome that was requested last if its request must be repeated, so that a restart finds it. */
  repeatedCursor(publishedCount: number): number[] {
    if (this.lowest === null || publishedCount - this.publishedCountAtCursor < EARLIER_CURSOR_EVERY) return [];
    return [this.lowest];
  }

  /** Records that an outcome was requested. @returns true for the first request, false for a repeated cursor. */
  recordRequested(outcome: number, publishedCount: number): boolean {
    const isFirst = this.lowest === null || outcome < this.lowest;
    this.lowest = outcome;
    this.publishedCountAtCursor = publishedCount;
    this.failures = 0;
    return isFirst;
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
