/**
 * Assigns each market to exactly one event, alone if nothing matches it. Markets of one question and day form one
 * event, in which the links of one minute are used; a second minute that two venues ask for gets its own event.
 */
import { invertibleOp, type MarketEntry } from './market-entry.ts';
import { findMinuteSplit, type MinuteSplit } from './minutes.ts';
import { isMoreOpen, statusOf } from './progress.ts';
import { findEvent, indexMarket, unindexMarket } from './question-index.ts';
import { isLinkedByDayOnly, referenceOf } from './reference.ts';
import { type EventEntry, type EventsState, marketsOf } from './state.ts';
import { universalIdOf } from './universal-id.ts';

/** Assigns an event to a market that is new or whose question changed. Returns the events to emit again. */
export function placeMarket(state: EventsState, market: MarketEntry, receivedAt: number): EventEntry[] {
  const known = state.markets.get(market.key);
  state.markets.set(market.key, market);
  const split = known ? null : findMinuteSplit(state, market);
  if (split) {
    const into = createEvent(state, split.leaving[0]!, receivedAt);
    moveLeaving(state, split, into);
    join(state, into, market);
    return [split.event, into];
  }
  if (!known) {
    const event = findEvent(state, market) ?? createEvent(state, market, receivedAt);
    join(state, event, market);
    return [event];
  }
  const current = state.events.get(known.eventId)!;
  market.eventId = known.eventId;
  current.op ??= invertibleOp(market);
  if (sameKeys(known.keys, market.keys)) return [current];
  return move(state, current, known, market, receivedAt);
}

function move(
  state: EventsState,
  from: EventEntry,
  old: MarketEntry,
  market: MarketEntry,
  receivedAt: number,
): EventEntry[] {
  unindexMarket(state, from, old);
  const split = findMinuteSplit(state, market);
  if (split) return moveWithSplit(state, from, market, split, receivedAt);
  const target = findEvent(state, market);
  if (from.members.length === 1) {
    if (!target || target === from) {
      indexMarket(state, from, market);
      return [from];
    }
    return merge(state, from, target);
  }
  if (target === from) {
    indexMarket(state, from, market);
    return [from];
  }
  from.members = from.members.filter((key) => key !== market.key);
  const into = target ?? createEvent(state, market, receivedAt);
  join(state, into, market);
  return [from, into];
}

/** Moves a market whose minute became known, together with the markets of that minute in another event. */
function moveWithSplit(
  state: EventsState,
  from: EventEntry,
  market: MarketEntry,
  split: MinuteSplit,
  receivedAt: number,
): EventEntry[] {
  if (from.members.length === 1) {
    moveLeaving(state, split, from);
    indexMarket(state, from, market);
    return [split.event, from];
  }
  from.members = from.members.filter((key) => key !== market.key);
  const into = createEvent(state, split.leaving[0]!, receivedAt);
  moveLeaving(state, split, into);
  join(state, into, market);
  return [...new Set([from, split.event, into])];
}

function moveLeaving(state: EventsState, { event, leaving }: MinuteSplit, into: EventEntry): void {
  for (const market of leaving) {
    unindexMarket(state, event, market);
    event.members = event.members.filter((key) => key !== market.key);
  }
  for (const market of leaving) join(state, into, market);
}

function createEvent(state: EventsState, market: MarketEntry, receivedAt: number): EventEntry {
  let universalId = universalIdOf(market.provider, market.marketId);
  for (let generation = 1; state.events.has(universalId); generation += 1) {
    universalId = universalIdOf(market.provider, market.marketId, generation);
  }
  const event: EventEntry = {
    universalId,
    firstSeenAt: receivedAt,
    lastSeenAt: receivedAt,
    ordinal: state.eventsCreated,
    members: [],
    op: null,
    mergedInto: null,
    absorbed: [],
    emittedFingerprint: '',
    deadline: null,
    overAt: null,
  };
  state.eventsCreated += 1;
  state.events.set(universalId, event);
  return event;
}

function join(state: EventsState, event: EventEntry, market: MarketEntry): void {
  event.members.push(market.key);
  event.op ??= invertibleOp(market);
  market.eventId = event.universalId;
  indexMarket(state, event, market);
}

/**
 * Moves open markets that are linked only by their day out of an event whose date has passed, so that clients find them
 * in an open event. The new event's age counts from now. Returns the events to emit again.
 */
export function splitFromClosed(state: EventsState, event: EventEntry, receivedAt: number): EventEntry[] {
  const markets = marketsOf(state, event);
  if (markets.length < 2) return [event];
  const reference = referenceOf(markets);
  const status = statusOf(markets, state.now);
  const leaving = markets.filter(
    (market) => market !== reference && isLinkedByDayOnly(market, reference) && isMoreOpen(market, status, state.now),
  );
  if (leaving.length === 0) return [event];
  const into = createEvent(state, leaving[0]!, receivedAt);
  moveLeaving(state, { event, leaving }, into);
  return [event, into];
}

/** Merges two events that turned out to be the same: the older survives, and the other names it from now on. */
function merge(state: EventsState, a: EventEntry, b: EventEntry): EventEntry[] {
  const [survivor, other] = isOlder(a, b) ? [a, b] : [b, a];
  for (const key of other.members) join(state, survivor, state.markets.get(key)!);
  for (const key of survivor.members) {
    for (const name of state.markets.get(key)!.keys) {
      if (state.eventsByKey.get(name) === other.universalId) state.eventsByKey.set(name, survivor.universalId);
    }
  }
  // The survivor may be the event whose question changed and has no index entry yet.
  for (const key of survivor.members) indexMarket(state, survivor, state.markets.get(key)!);
  survivor.lastSeenAt = Math.max(survivor.lastSeenAt, other.lastSeenAt);
  const absorbed = [other, ...other.absorbed.map((id) => state.events.get(id)!)];
  for (const event of absorbed) event.mergedInto = survivor.universalId;
  survivor.absorbed.push(...absorbed.map((event) => event.universalId));
  other.members = [];
  other.absorbed = [];
  return [survivor, ...absorbed];
}

/**
 * Removes an event with its markets and the events merged into it. A market that is listed again later gets a new
 * event: with the id of the old one if that market created it too, otherwise with another id.
 */
export function removeEvent(state: EventsState, event: EventEntry): void {
  for (const key of event.members) {
    for (const name of state.markets.get(key)!.keys) {
      if (state.eventsByKey.get(name) === event.universalId) state.eventsByKey.delete(name);
    }
    state.markets.delete(key);
  }
  for (const universalId of [event.universalId, ...event.absorbed]) state.events.delete(universalId);
}

function isOlder(a: EventEntry, b: EventEntry): boolean {
  return a.firstSeenAt === b.firstSeenAt ? a.ordinal < b.ordinal : a.firstSeenAt < b.firstSeenAt;
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, at) => key === b[at]);
}
