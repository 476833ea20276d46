/** Finds the markets that leave an event because two venues ask for another minute of its day. */
import { hasMinute, type MarketEntry } from './market-entry.ts';
import { isFull } from './question-index.ts';
import type { EventEntry, EventsState } from './state.ts';

/** Markets of `event` that move, together with a given market of the same minute, to an event of their own. */
export interface MinuteSplit {
  readonly event: EventEntry;
  readonly leaving: readonly MarketEntry[];
}

/**
 * Two venues that ask for one minute are to be compared, but an event uses one minute only. So a second such pair
 * leaves an event that already has one, or that is full. Returns null if nothing has to leave.
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
  return hasOtherPair || isFull(event) ? { event, leaving } : null;
}

function minuteKeyOf(market: MarketEntry): string | null {
  return hasMinute(market) ? market.keys[0]! : null;
}

/** True if markets of one minute belong to more than one provider. */
function isPair(markets: readonly MarketEntry[]): boolean {
  return markets.some((market) => hasMinute(market) && market.provider !== markets[0]!.provider);
}
