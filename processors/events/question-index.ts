/** Finds the event of a market's question by the keys of the events' markets, without comparing markets in pairs. */
import { hasMinute, type MarketEntry } from './market-entry.ts';
import { isMoreOpen, statusOf } from './progress.ts';
import { type EventEntry, type EventsState, marketsOf } from './state.ts';

/** Greatest number of markets of one event, so that its record stays small whatever a venue lists. */
const MEMBERS_MAX = 50;

/**
 * Returns the event that the market joins: one with the same minute first, then one with the same day. By its day alone
 * a market does not join an event whose status is further along than its own.
 */
export function findEvent(state: EventsState, market: MarketEntry): EventEntry | undefined {
  for (const [at, key] of market.keys.entries()) {
    const event = state.events.get(state.eventsByKey.get(key) ?? '');
    if (!event) continue;
    if (event.members.includes(market.key)) return event;
    if (
      !isFull(event) &&
      (!isDayKeyOnly(market, at) || !isMoreOpen(market, statusOf(marketsOf(state, event), state.now), state.now))
    ) {
      return event;
    }
  }
  return undefined;
}

/** True if a minute decides the question, but the key at `at` contains only its day. */
function isDayKeyOnly(market: MarketEntry, at: number): boolean {
  return market.facts?.untimedVenue === null && !(at === 0 && hasMinute(market));
}

/** True if an event accepts no more markets. */
export function isFull({ members }: EventEntry): boolean {
  return members.length >= MEMBERS_MAX;
}

/**
 * Adds the keys of a market to the index. A later member adds only its minute key: by its day key, markets would join
 * that agree with it but not with the other members.
 */
export function indexMarket(
  state: EventsState,
  event: EventEntry,
  market: MarketEntry,
  isFirst = event.members[0] === market.key,
): void {
  const keys = isFirst ? market.keys : market.keys.slice(0, market.keys.length - 1);
  for (const key of keys) {
    const holder = state.events.get(state.eventsByKey.get(key) ?? '');
    if (holder === event) continue;
    if (!holder || isFull(holder) || isMoreOpen(market, statusOf(marketsOf(state, holder), state.now), state.now)) {
      state.eventsByKey.set(key, event.universalId);
    }
  }
}

/** Removes the keys of a market from the index, and adds those of the remaining members again. */
export function unindexMarket(state: EventsState, event: EventEntry, market: MarketEntry): void {
  for (const key of market.keys) if (state.eventsByKey.get(key) === event.universalId) state.eventsByKey.delete(key);
  const rest = event.members.filter((key) => key !== market.key);
  for (const [at, key] of rest.entries()) indexMarket(state, event, state.markets.get(key)!, at === 0);
}
