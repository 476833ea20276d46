/** Which minute of its day an event is for: who leaves it, once two venues ask for another one. */
import { hasMinute, type MarketEntry } from './market-entry.ts';
import { isFull } from './question-index.ts';
import type { EventEntry, EventsState } from './state.ts';

/** Markets that ask for the minute of `market` as links that are not used, and need an event of their own with it. */
export interface MinuteSplit {
  readonly event: EventEntry;
  readonly leaving: readonly MarketEntry[];
}

/**
 * Two venues that ask for one minute are to be compared. An event is seen from one minute alone, so where it has such a
 * pair already (or no room), the second pair leaves it. Null where nothing has to leave.
 */
export function findMinuteSplit(state: EventsState, market: MarketEntry): MinuteSplit | null {
  const minute = minuteKeyOf(market);
  const event = minute === null ? undefined : state.events.get(state.eventsByKey.get(minute) ?? '');
  if (!event) return null;
  const others = event.members.filter((key) => key !== market.key).map((key) => state.markets.get(key)!);
  const leaving = others.filter((other) => minuteKeyOf(other) === minute);
  const rest = others.filter((other) => minuteKeyOf(other) !== minute);
  if (!isPair([market, ...leaving]) || rest.length === 0) return null;
  const hasOtherPair = rest.some((one) => isPair(rest.filter((other) => minuteKeyOf(other) === minuteKeyOf(one))));
  return hasOtherPair || isFull(event) ? { event, leaving: leaving } : null;
}

function minuteKeyOf(market: MarketEntry): string | null {
  return hasMinute(market) ? market.keys[0]! : null;
}

/** Whether markets of one minute are of more than one provider. */
function isPair(markets: readonly MarketEntry[]): boolean {
  return markets.some((market) => hasMinute(market) && market.provider !== markets[0]!.provider);
}
