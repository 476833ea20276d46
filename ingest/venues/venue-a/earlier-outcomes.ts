/**
 * The earlier outcomes are those that were over before the first start, when nobody looked. Which of them to ask the
 * settlement of: their ids count up, so each below the newest one that is listed, downwards, once. Pure.
 */

/** Asked at a time and in a minute: 160 of the budget's weight of 600, behind everything else. */
export const EARLIER_PER_MINUTE = 8;
const EVERY_MS = 60_000;
/** They are left until the service has run for a while: at a start there is more important to ask. */
export const EARLIER_BEGIN_MS = 5 * 60_000;
/** After so many answers of the venue the place is said again, so that it is found in the log. */
export const EARLIER_SAID_EVERY = 200;

/** After so many attempts in a row one that cannot be asked for is passed over. */
export const EARLIER_ATTEMPTS = 5;

/** How the question for an earlier outcome begins: by that its answer is told from others in the log. */
const BEGINNING = '{"outcome":';

/** The question for an earlier outcome, as JSON text. */
export function earlierQuestion(outcome: number): string {
  return `${BEGINNING}${outcome},"type":"settledOutcome"}`;
}

/** Whether a request that was published asked for an earlier outcome. */
export function asksForEarlier(request: string): boolean {
  return request.startsWith(BEGINNING);
}

export class EarlierOutcomes {
  private lowest: number | null;
  private dueAt: number;
  private saidAt = 0;
  private failures = 0;

  /** @param lowest the outcome that was asked for last; null where none was. @param now unix ms. */
  constructor(lowest: number | null, now: number) {
    this.lowest = lowest;
    this.dueAt = now + EARLIER_BEGIN_MS;
  }

  /**
   * The outcomes to ask for now.
   * @param listed those that live. @param answers how many answers were published so far.
   */
  due(listed: readonly number[], answers: number, now: number): number[] {
    if (now < this.dueAt || listed.length === 0) return [];
    this.dueAt = now + EVERY_MS;
    this.lowest ??= Math.max(...listed) + 1;
    const live = new Set(listed);
    const outcomes: number[] = [];
    for (let id = this.lowest - 1; id >= 0 && outcomes.length < EARLIER_PER_MINUTE; id -= 1) {
      if (!live.has(id)) outcomes.push(id);
    }
    if (outcomes.length > 0 || answers - this.saidAt < EARLIER_SAID_EVERY) return outcomes;
    return [this.lowest];
  }

  /** Takes that an outcome was asked for. @returns whether for the first time, and not to say the place again. */
  asked(outcome: number, answers: number): boolean {
    const isFirst = this.lowest === null || outcome < this.lowest;
    this.lowest = outcome;
    this.saidAt = answers;
    this.failures = 0;
    return isFirst;
  }

  /** Takes that asking for an outcome failed, which may pass. True when it is passed over with that. */
  failed(outcome: number): boolean {
    this.failures += 1;
    if (this.failures < EARLIER_ATTEMPTS) return false;
    this.lowest = outcome;
    this.failures = 0;
    return true;
  }
}
