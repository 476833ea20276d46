/**
 * Which outcomes to ask the settlement of that came and went while nobody looked: their ids count up, so each between the
 * newest one that was ever listed and the newest one that is, which no list held. Upwards, once. Pure.
 */

/**
 * Asked at a time and in a minute: 200 of the budget's weight of 600. With a round of metadata (120) and of settlements
 * (160) that leaves room for one more round, which a new outcome asks for. They are news, so the walk through the
 * earlier ones (`earlier-outcomes.ts`) rests meanwhile.
 */
export const MISSED_PER_MINUTE = 10;
const EVERY_MS = 60_000;
/** After so many attempts in a row one that cannot be asked for is passed over. */
export const MISSED_ATTEMPTS = 5;

/**
 * How the question for a missed outcome begins: spelled like no other one, so that the log tells how far they were asked.
 */
const BEGINNING = '{ "outcome":';

/** The question for a missed outcome, as JSON text. */
export function missedQuestion(outcome: number): string {
  return `${BEGINNING} ${outcome}, "type": "settledOutcome" }`;
}

/** Whether a request that was published asked for a missed outcome. */
export function asksForMissed(request: string): boolean {
  return request.startsWith(BEGINNING);
}

export class MissedOutcomes {
  private listed: ReadonlySet<number> = new Set();
  private highest = -1;
  /** Up to this id each was listed, asked for, or is as old as the first list; null before that. */
  private reached: number | null = null;
  private dueAt = 0;
  private failures = 0;

  /** Takes the outcomes of a list; one without any says nothing of ids. */
  list(outcomes: readonly number[]): void {
    if (outcomes.length === 0) return;
    this.listed = new Set(outcomes);
    this.highest = Math.max(this.highest, ...outcomes);
    this.reached ??= this.highest;
    this.passListed();
  }

  /** Whether there are any that were not asked for. */
  get isPending(): boolean {
    return this.reached !== null && this.reached < this.highest;
  }

  /** The outcomes to ask for now, unix ms. */
  due(now: number): number[] {
    if (this.reached === null || !this.isPending || now < this.dueAt) return [];
    this.dueAt = now + EVERY_MS;
    const outcomes: number[] = [];
    for (let id = this.reached + 1; id <= this.highest && outcomes.length < MISSED_PER_MINUTE; id += 1) {
      if (!this.listed.has(id)) outcomes.push(id);
    }
    return outcomes;
  }

  /** Takes that an outcome was asked for, by this process or an earlier one. */
  asked(outcome: number): void {
    this.reached = outcome;
    this.failures = 0;
    this.passListed();
  }

  /** Takes that asking for an outcome failed, which may pass. True when it is passed over with that. */
  failed(outcome: number): boolean {
    this.failures += 1;
    if (this.failures < MISSED_ATTEMPTS) return false;
    this.asked(outcome);
    return true;
  }

  private passListed(): void {
    while (this.reached !== null && this.listed.has(this.reached + 1)) this.reached += 1;
  }
}
