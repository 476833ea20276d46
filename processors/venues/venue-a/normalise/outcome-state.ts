/** The part of the state of venue_a's normaliser that concerns outcome markets. */
import type { Market } from '#schemas/topics/normalised';
import { outcomeCoin, parseOutcomeCoin } from './coins.ts';
import { createListedIds, type ListedIds } from './listed-ids.ts';
import type { Outcome, Question } from './outcome-messages.ts';

/** An outcome with its last emitted market. */
export interface KnownOutcome {
  outcome: Outcome;
  market: Market;
  /** Receive time of the message that closed it. */
  closedAt: number | null;
  /** It was not resolved before this time: receive time of its last open listing, or of a timely settled message. */
  decidedAfter: number;
}

export interface OutcomeState {
  /** Outcomes by id. */
  readonly outcomes: Map<number, KnownOutcome>;
  /** Questions by id. */
  readonly questions: Map<number, Question>;
  /** Outcomes reported as settled; an answer that was in flight at that time may still list them. */
  readonly settled: Set<number>;
  /** Outcomes whose resolution was emitted, oldest first (`SETTLED_MAX`). */
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

/** Returns the name of a coin's side; null for other coins and unknown outcomes. */
export function outcomeNameOf(state: OutcomeState, coin: string): string | null {
  const parsed = coin.startsWith('#') ? parseOutcomeCoin(coin) : null;
  return (parsed && state.outcomes.get(parsed.outcome)?.outcome.sides[parsed.side]) ?? null;
}

/** Returns the coins of both sides of all outcomes that are open. */
export function* openCoins({ outcomes }: OutcomeState): Iterable<string> {
  for (const [id, { closedAt }] of outcomes) {
    if (closedAt !== null) continue;
    yield outcomeCoin(id, 0);
    yield outcomeCoin(id, 1);
  }
}
