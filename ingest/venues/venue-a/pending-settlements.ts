/**
 * Which outcomes to ask the settlement of: those that were listed and are no more, and those that were asked for otherwise
 * (`missed-outcomes.ts`, `earlier-outcomes.ts`) and were not settled then. The venue tells that an outcome is over by
 * leaving it out; how it was decided it answers only to whoever asks for that outcome, and perhaps not at once. Pure.
 */

/** Asked in one round, the one that waits longest first; each costs as much as any other metadata question. */
export const SETTLED_PER_ROUND = 8;
/** Rounds after which an outcome that is still not settled, or cannot be asked for, is given up. */
export const SETTLED_ATTEMPTS_MAX = 120;
/** The same of one that no list ever held: its id may be one that the venue never gave out, which it answers in the same words. */
export const UNLISTED_ATTEMPTS_MAX = 12;
/** Asked of these in one round at least, while any wait; what was listed and has just ended goes before the rest of them. */
export const UNLISTED_PER_ROUND = 2;
/** Outcomes that wait for their settlement; beyond it the oldest are given up. */
export const SETTLED_WAITING_MAX = 2_000;

export class SettledOutcomes {
  private newest: ReadonlySet<number> = new Set();
  /** Attempts so far by outcome that was listed, the one asked longest ago first. */
  private readonly ended = new Map<number, number>();
  /** The same of those that no list held. However many they are, those that were listed do not wait for them. */
  private readonly unlisted = new Map<number, number>();

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
    for (const outcome of this.newest) if (!listed.has(outcome)) this.ended.set(outcome, 0);
    for (const outcome of listed) {
      this.ended.delete(outcome);
      this.unlisted.delete(outcome);
    }
    this.newest = listed;
    this.giveUpOldest();
  }

  /** The outcomes to ask for now. */
  due(): number[] {
    const unlisted = [...this.unlisted.keys()];
    const kept = Math.min(unlisted.length, UNLISTED_PER_ROUND);
    const ended = [...this.ended.keys()].slice(0, SETTLED_PER_ROUND - kept);
    return [...ended, ...unlisted.slice(0, SETTLED_PER_ROUND - ended.length)];
  }

  /**
   * Takes that an outcome was asked for, by this process or the one before. One that is over and not settled waits from
   * then on, whether or not it was ever on a list.
   * @param isUnlisted whether no list ever held it, as far as its question tells.
   * @returns false when it is given up with that.
   */
  asked(outcome: number, isSettled: boolean, isUnlisted = false): boolean {
    if (this.newest.has(outcome)) return true;
    const hasEnded = this.ended.has(outcome) || !(isUnlisted || this.unlisted.has(outcome));
    const waiting = hasEnded ? this.ended : this.unlisted;
    const attempts = (waiting.get(outcome) ?? 0) + 1;
    // Behind those that were asked longer ago, or not yet.
    waiting.delete(outcome);
    if (isSettled) return true;
    if (attempts >= (hasEnded ? SETTLED_ATTEMPTS_MAX : UNLISTED_ATTEMPTS_MAX)) return false;
    waiting.set(outcome, attempts);
    this.giveUpOldest();
    return true;
  }

  private giveUpOldest(): void {
    let beyond = this.ended.size + this.unlisted.size - SETTLED_WAITING_MAX;
    for (const waiting of [this.unlisted, this.ended]) {
      for (const outcome of waiting.keys()) {
        if (beyond <= 0) return;
        waiting.delete(outcome);
        beyond -= 1;
      }
    }
  }
}
