/**
 * Decides which missed outcomes to request: those that were listed and ended between two lists. Ids ascend, so these are
 * the ids between the newest of one list and the newest of the next that no list contained. Each is requested once, in
 * ascending order. Pure.
 */

/**
 * Requests in one round and in a minute, of the weight that is left to what is behind reads of clients (`declaration.ts`).
 * They follow a round of pending settlements, and the rest waits for the next minute. Missed outcomes are recent, so the
 * crawl through the earlier ones (`earlier-outcomes.ts`) pauses meanwhile.
 */
export const MISSED_PER_MINUTE = 10;
const INTERVAL_MS = 60_000;
/** An outcome is skipped after this many failed attempts in a row. */
export const MISSED_ATTEMPTS_MAX = 5;

export class MissedOutcomes {
  private listed: ReadonlySet<number> = new Set();
  private highest = -1;
  /** Every id up to this one was listed, was requested, or precedes the first list; null before the first list. */
  private requestedUpTo: number | null = null;
  private dueAt = 0;
  private failures = 0;

  /** Adds a list of outcomes. An empty list is ignored. */
  addList(outcomes: readonly number[]): void {
    if (outcomes.length === 0) return;
    this.listed = new Set(outcomes);
    this.highest = Math.max(this.highest, ...outcomes);
    this.requestedUpTo ??= this.highest;
    this.skipListed();
  }

  /** True if there are missed outcomes that were not requested. */
  get isPending(): boolean {
    return this.requestedUpTo !== null && this.requestedUpTo < this.highest;
  }

  /** Returns the outcomes to request. @param now monotonic ms. */
  due(now: number): number[] {
    if (this.requestedUpTo === null || !this.isPending || now < this.dueAt) return [];
    this.dueAt = now + INTERVAL_MS;
    const outcomes: number[] = [];
    for (let id = this.requestedUpTo + 1; id <= this.highest && outcomes.length < MISSED_PER_MINUTE; id += 1) {
      if (!this.listed.has(id)) outcomes.push(id);
    }
    return outcomes;
  }

  /** Records that this process or an earlier one requested an outcome. */
  recordRequested(outcome: number): void {
    this.requestedUpTo = outcome;
    this.failures = 0;
    this.skipListed();
  }

  /** Records a failed request. @returns true if the outcome is skipped from now on. */
  recordFailure(outcome: number): boolean {
    this.failures += 1;
    if (this.failures < MISSED_ATTEMPTS_MAX) return false;
    this.recordRequested(outcome);
    return true;
  }

  private skipListed(): void {
    while (this.requestedUpTo !== null && this.listed.has(this.requestedUpTo + 1)) this.requestedUpTo += 1;
  }
}
