/**
 * Which outcomes to ask the settlement of: those that were listed and are no more. The venue tells that an outcome is
 * over by leaving it out; how it was decided it answers only to whoever asks for that outcome. Pure.
 */

/** Asked in one round, the one that waits longest first; each costs as much as any other metadata question. */
export const SETTLED_PER_ROUND = 8;
/** Rounds after which an outcome that is still not settled, or cannot be asked for, is given up. */
export const SETTLED_ATTEMPTS_MAX = 120;
/** Outcomes that wait for their settlement; beyond it the oldest are given up. */
export const SETTLED_WAITING_MAX = 2_000;

export class SettledOutcomes {
  private newest: ReadonlySet<number> = new Set();
  /** Attempts so far by outcome, the one asked longest ago first. */
  private readonly waiting = new Map<number, number>();

  /** The outcomes of the newest list. */
  listed(): readonly number[] {
    return [...this.newest];
  }

  /**
   * Takes the outcomes of a list; those that were on the one before and are not on this one are over. They do not all end
   * between two lists: one without any is an answer that is wrong.
   */
  list(outcomes: readonly number[]): void {
    if (outcomes.length === 0) return;
    const listed = new Set(outcomes);
    for (const outcome of this.newest) if (!listed.has(outcome)) this.waiting.set(outcome, 0);
    for (const outcome of listed) this.waiting.delete(outcome);
    this.newest = listed;
    for (const outcome of this.waiting.keys()) {
      if (this.waiting.size <= SETTLED_WAITING_MAX) break;
      this.waiting.delete(outcome);
    }
  }

  /** Takes an outcome that is known to be over and not settled, whether or not it was on a list. */
  awaitSettlement(outcome: number): void {
    if (!this.newest.has(outcome) && !this.waiting.has(outcome)) this.waiting.set(outcome, 0);
  }

  /** The outcomes to ask for now. */
  due(): number[] {
    return [...this.waiting.keys()].slice(0, SETTLED_PER_ROUND);
  }

  /** Takes that an outcome was asked for. False when it is given up with that. */
  asked(outcome: number, isSettled: boolean): boolean {
    if (!this.waiting.has(outcome)) return true;
    const attempts = this.waiting.get(outcome)! + 1;
    // Behind those that were not asked yet.
    this.waiting.delete(outcome);
    if (isSettled) return true;
    if (attempts >= SETTLED_ATTEMPTS_MAX) return false;
    this.waiting.set(outcome, attempts);
    return true;
  }
}
