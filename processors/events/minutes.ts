/** Which minute of its day an event is for: who leaves it, once two venues ask for another one. */
import { knowsMinute, type MarketEntry } from './market-entry.ts';
import { isFull } from './question-index.ts';
import type { EventEntry, EventsState } from './state.ts';

/** Markets that ask for the minute of `market` as links that are not used, and need an event of their own with it. */
export interface Apart {
  readonly event: EventEntry;
  readonly mates: readonly MarketEntry[];
}

/**
 * Two venues that ask for one minute are to be compared. An event is seen from one minute alone, so where it has such a
 * pair already (or no room), the second pair leaves it. Null where nothing has to leave.
 */
export function findApart(state: EventsState, market: MarketEntry): Apart | null {
  const minute = minuteKeyOf(market);
  const event = minute === null ? undefined : state.events.get(state.index.get(minute) ?? '');
  if (!event) return null;
  const others = event.members.filter((key) => key !== market.key).map((key) => state.markets.get(key)!);
  const mates = others.filter((other) => minuteKeyOf(other) === minute);
  const rest = others.filter((other) => minuteKeyOf(other) !== minute);
  if (!isPair([market, ...mates]) || rest.length === 0) return null;
  const isTaken = rest.some((one) => isPair(rest.filter((other) => minuteKeyOf(other) === minuteKeyOf(one))));
  return isTaken || isFull(event) ? { event, mates } : null;
}

function minuteKeyOf(market: MarketEntry): string | null {
  return knowsMinute(market) ? market.keys[0]! : null;
}

/** Whether markets of one minute are of more than one provider. */
function isPair(markets: readonly MarketEntry[]): boolean {
  return markets.some((market) => knowsMinute(market) && market.provider !== markets[0]!.provider);
}
