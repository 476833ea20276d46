/**
 * The outcomes whose settlement is pending: those that are no longer listed, and those that were requested otherwise
 * (`missed-outcomes.ts`, `earlier-outcomes.ts`) and were not settled then. The venue removes an ended outcome from its
 * list, and returns its settlement only on request, perhaps later. Pure.
 */

/** Requests in one round, longest waiting outcome first. Each costs as much as any other metadata request. */
export const REQUESTS_PER_ROUND = 8;
/** Attempts after which a formerly listed outcome without a settlement is dropped. */
export const LISTED_ATTEMPTS_MAX = 120;
/** The same for an outcome that was in no list: the venue may never have used its id, and answers both cases alike. */
export const UNLISTED_ATTEMPTS_MAX = 12;
/** Minimum of unlisted outcomes in one round, while any are pending. Formerly listed ones precede the rest. */
export const UNLISTED_PER_ROUND = 2;
/** Maximum of pending outcomes; beyond it the oldest are dropped. */
export const PENDING_MAX = 2_000;

export class PendingSettlements {
  private newest: ReadonlySet<number> = new Set();
  /** Attempts so far by formerly listed outcome, longest waiting first. */
  private readonly ended = new Map<number, number>();
  /** The same for outcomes that were in no list. However many they are, they do not delay formerly listed ones. */
  private readonly unlisted = new Map<number, number>();

  /** The outcomes of the newest list. */
  listed(): readonly number[] {
    return [...this.newest];
  }

  /**
   * Adds a list of outcomes. Those of the previous list that are missing in this one have ended. They never all end between
   * two lists: an empty list is a wrong answer and is ignored.
   */
  addList(outcomes: readonly number[]): void {
    if (outcomes.length === 0) return;
    const listed = new Set(outcomes);
    for (const outcome of this.newest) if (!listed.has(outcome)) this.ended.set(outcome, 0);
    for (const outcome of listed) {
      this.ended.delete(outcome);
      this.unlisted.delete(outcome);
    }
    this.newest = listed;
    this.dropOldest();
  }

  /** Returns the outcomes to request now. */
  due(): number[] {
    const unlisted = [...this.unlisted.keys()];
    const reserved = Math.min(unlisted.length, UNLISTED_PER_ROUND);
    const ended = [...this.ended.keys()].slice(0, REQUESTS_PER_ROUND - reserved);
    return [...ended, ...unlisted.slice(0, REQUESTS_PER_ROUND - ended.length)];
  }

  /**
   * Records the answer to a request of this process or an earlier one. An outcome that has ended without a settlement is
   * pending from then on.
   * @param isUnlisted true if the text of the request says that no list contained the outcome.
   * @returns false if the outcome is dropped.
   */
  recordAnswer(outcome: number, isSettled: boolean, isUnlisted = false): boolean {
    if (this.newest.has(outcome)) return true;
    const hasEnded = this.ended.has(outcome) || !(isUnlisted || this.unlisted.has(outcome));
    const waiting = hasEnded ? this.ended : this.unlisted;
    const attempts = (waiting.get(outcome) ?? 0) + 1;
    // Moves it behind those that have waited longer.
    waiting.delete(outcome);
    if (isSettled) return true;
    if (attempts >= (hasEnded ? LISTED_ATTEMPTS_MAX : UNLISTED_ATTEMPTS_MAX)) return false;
    waiting.set(outcome, attempts);
    this.dropOldest();
    return true;
  }

  private dropOldest(): void {
    let beyond = this.ended.size + this.unlisted.size - PENDING_MAX;
    for (const waiting of [this.unlisted, this.ended]) {
      for (const outcome of waiting.keys()) {
        if (beyond <= 0) return;
        waiting.delete(outcome);
        beyond -= 1;
      }
    }
  }
}
