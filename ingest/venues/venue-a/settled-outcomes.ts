/**
 * Which outcomes to ask the settlement of: those that were listed and are no more, and those that were asked for otherwise
 * (`missed-outcomes.ts`, `earlier-outcomes.ts`) and were not settled then. The venue tells that an outcome is over by
 * leaving it out; how it was decided it answers only to whoever asks for that outcome, and perhaps not at once. Pure.
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
  private readonly news = new Map<number, number>();
  /** The same of such as were over before the first start. However many they are, nothing that is news waits for them. */
  private readonly earlier = new Map<number, number>();

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
    for (const outcome of this.newest) if (!listed.has(outcome)) this.news.set(outcome, 0);
    for (const outcome of listed) {
      this.news.delete(outcome);
      this.earlier.delete(outcome);
    }
    this.newest = listed;
    this.giveUpOldest();
  }

  /** The outcomes to ask for now. */
  due(): number[] {
    return [...this.news.keys(), ...this.earlier.keys()].slice(0, SETTLED_PER_ROUND);
  }

  /**
   * Takes that an outcome was asked for, by this process or the one before. One that is over and not settled waits from
   * then on, whether or not it was ever on a list.
   * @param isEarlier whether it was over before the first start, as far as its question tells.
   * @returns false when it is given up with that.
   */
  asked(outcome: number, isSettled: boolean, isEarlier = false): boolean {
    if (this.newest.has(outcome)) return true;
    const isNews = this.news.has(outcome) || !(isEarlier || this.earlier.has(outcome));
    const waiting = isNews ? this.news : this.earlier;
    const attempts = (waiting.get(outcome) ?? 0) + 1;
    // Behind those that were not asked yet.
    waiting.delete(outcome);
    if (isSettled) return true;
    if (attempts >= SETTLED_ATTEMPTS_MAX) return false;
    waiting.set(outcome, attempts);
    this.giveUpOldest();
    return true;
  }

  private giveUpOldest(): void {
    let beyond = this.news.size + this.earlier.size - SETTLED_WAITING_MAX;
    for (const waiting of [this.earlier, this.news]) {
      for (const outcome of waiting.keys()) {
        if (beyond <= 0) return;
        waiting.delete(outcome);
        beyond -= 1;
      }
    }
  }
}
