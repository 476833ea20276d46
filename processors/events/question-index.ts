/** Where a market finds the event of its question: by the keys of the events' markets, without comparing any two. */
import { hasMinute, type MarketEntry } from './market-entry.ts';
import { isMoreOpen, statusOf } from './progress.ts';
import { type EventEntry, type EventsState, marketsOf } from './state.ts';

/** Markets of one event at most: what is told of an event stays small, whatever a venue lists. */
export const MEMBERS_MAX = 50;

/**
 * The event that the market joins: by the same minute first, then by the same day. By its day alone no market joins an
 * event that is further from open than itself.
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

/** Whether the key at `at` tells of a question that a minute decides no more than its day. */
function isDayKeyOnly(market: MarketEntry, at: number): boolean {
  return market.facts?.untimedVenue === null && !(at === 0 && hasMinute(market));
}

/** Whether an event takes no more markets. */
export function isFull({ members }: EventEntry): boolean {
  return members.length >= MEMBERS_MAX;
}

/** A newcomer adds the key of its moment alone: by its day, markets that agree with it and not with the others would join. */
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

/** Takes the keys of a market out, and puts back those that the remaining members have. */
export function unindexMarket(state: EventsState, event: EventEntry, market: MarketEntry): void {
  for (const key of market.keys) if (state.eventsByKey.get(key) === event.universalId) state.eventsByKey.delete(key);
  const rest = event.members.filter((key) => key !== market.key);
  for (const [at, key] of rest.entries()) indexMarket(state, event, state.markets.get(key)!, at === 0);
}
