/** What the normaliser of venue_a knows of outcome markets. */
import type { Market } from '#schemas/topics/normalised';
import { parseOutcomeCoin } from './coins.ts';
import { createListedIds, type ListedIds } from './listed-ids.ts';
import type { Outcome, Question } from './outcome-messages.ts';

/** An outcome with what was told of it last. */
export interface KnownOutcome {
  outcome: Outcome;
  market: Market;
  /** When it was told to be over. */
  closedAt: number | null;
  /** It was not decided before this: when it was told to live, or to be decided in the moment in which it was. */
  decidedAfter: number;
}

export interface OutcomeState {
  /** By outcome id. */
  readonly outcomes: Map<number, KnownOutcome>;
  /** By question id. */
  readonly questions: Map<number, Question>;
  /** Outcomes told to be settled; an answer that was under way then may still list them. */
  readonly settled: Set<number>;
  /** Outcomes whose resolution was told, oldest first (`SETTLED_MAX`). */
  readonly resolved: Set<number>;
  readonly listedIds: ListedIds;
}

export function createOutcomeState(): OutcomeState {
  return {
    outcomes: new Map(),
    questions: new Map(),
    settled: new Set(),
    resolved: new Set(),
    listedIds: createListedIds(),
  };
}

/** The name of the side that a coin stands for; null for other coins and outcomes not known. */
export function outcomeNameOf(state: OutcomeState, coin: string): string | null {
  const parsed = coin.startsWith('#') ? parseOutcomeCoin(coin) : null;
  return (parsed && state.outcomes.get(parsed.outcome)?.outcome.sides[parsed.side]) ?? null;
}
