import type { Emit } from '#infra/stages/stage';
import { parseOutcomeCoin } from './coins.ts';
import type { VenueAState } from './state.ts';
import type { GapContext } from './trade-subscriptions.ts';

/** Makes what the functions of `trade-gaps.ts` and `trade-starts.ts` need. */
export function gapContext(state: VenueAState, receivedAt: number, emit: Emit): GapContext {
  const { tradeSubscriptions: subscriptions, seenTrades: seen } = state;
  return { subscriptions, seen, endOf: (coin) => endOf(state, coin), receivedAt, emit };
}

/** When the venue first reported that the market of a coin has ended, unix ms; null while it is listed, or if unknown. */
function endOf({ outcomes, instruments }: VenueAState, coin: string): number | null {
  const outcome = parseOutcomeCoin(coin);
  if (outcome) return outcomes.outcomes.get(outcome.outcome)?.closedAt ?? null;
  const instrument = instruments.get(coin);
  return instrument?.delisted ? instrument.receivedAt : null;
}

/** True if a coin is a side of an outcome that is open, or was closed less than about a day ago. */
export function isStoredOutcome({ outcomes }: VenueAState, coin: string): boolean {
  const outcome = parseOutcomeCoin(coin);
  return outcome !== null && outcomes.outcomes.has(outcome.outcome);
}
