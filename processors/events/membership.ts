/**
 * Which market belongs to which event. Every market belongs to exactly one, alone if nothing matches it. Markets of one
 * question and day are one event, in which one minute is used; a second minute that two venues ask for is an event of
 * its own.
 */
import { type MarketEntry, sideOf } from './market-entry.ts';
import { type Apart, findApart } from './minutes.ts';
import { isBehind, statusOf } from './progress.ts';
import { findEvent, index, unindex } from './question-index.ts';
import { isAside, referenceOf } from './reference.ts';
import { type EventEntry, type EventsState, marketsOf } from './state.ts';
import { universalIdOf } from './universal-id.ts';

/** Places a market that is new, or whose question changed. Gives the events to tell anew. */
export function place(state: EventsState, market: MarketEntry, receivedAt: number): EventEntry[] {
  const known = state.markets.get(market.key);
  state.markets.set(market.key, market);
  const apart = known ? null : findApart(state, market);
  if (apart) {
    const into = found(state, apart.mates[0]!, receivedAt);
    moveMates(state, apart, into);
    join(state, into, market);
    return [apart.event, into];
  }
  if (!known) {
    const event = findEvent(state, market) ?? found(state, market, receivedAt);
    join(state, event, market);
    return [event];
  }
  const current = state.events.get(known.eventId)!;
  market.eventId = known.eventId;
  current.op ??= sideOf(market);
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
  unindex(state, from, old);
  const apart = findApart(state, market);
  if (apart) return moveApart(state, from, market, apart, receivedAt);
  const target = findEvent(state, market);
  if (from.members.length === 1) {
    if (!target || target === from) {
      index(state, from, market);
      return [from];
    }
    return merge(state, from, target);
  }
  if (target === from) {
    index(state, from, market);
    return [from];
  }
  from.members = from.members.filter((key) => key !== market.key);
  const into = target ?? found(state, market, receivedAt);
  join(state, into, market);
  return [from, into];
}

/** A market that learned a minute for which another event holds its mates. */
function moveApart(
  state: EventsState,
  from: EventEntry,
  market: MarketEntry,
  apart: Apart,
  receivedAt: number,
): EventEntry[] {
  if (from.members.length === 1) {
    moveMates(state, apart, from);
    index(state, from, market);
    return [apart.event, from];
  }
  from.members = from.members.filter((key) => key !== market.key);
  const into = found(state, apart.mates[0]!, receivedAt);
  moveMates(state, apart, into);
  join(state, into, market);
  return [...new Set([from, apart.event, into])];
}

function moveMates(state: EventsState, { event, mates }: Apart, into: EventEntry): void {
  for (const mate of mates) {
    unindex(state, event, mate);
    event.members = event.members.filter((key) => key !== mate.key);
  }
  for (const mate of mates) join(state, into, mate);
}

function found(state: EventsState, market: MarketEntry, receivedAt: number): EventEntry {
  let universalId = universalIdOf(market.provider, market.marketId);
  for (let generation = 1; state.events.has(universalId); generation += 1) {
    universalId = universalIdOf(market.provider, market.marketId, generation);
  }
  const event: EventEntry = {
    universalId,
    firstSeenAt: receivedAt,
    lastSeenAt: receivedAt,
    ordinal: state.founded,
    members: [],
    op: null,
    mergedInto: null,
    absorbed: [],
    told: '',
    deadline: null,
    overAt: null,
  };
  state.founded += 1;
  state.events.set(universalId, event);
  return event;
}

function join(state: EventsState, event: EventEntry, market: MarketEntry): void {
  event.members.push(market.key);
  event.op ??= sideOf(market);
  market.eventId = event.universalId;
  index(state, event, market);
}

/**
 * A live market that is in an event by its day alone leaves it when the date of the event has passed: it is open still,
 * and is to be found as such. The event that it founds begins now. Gives the events to tell anew.
 */
export function partFromOver(state: EventsState, event: EventEntry, receivedAt: number): EventEntry[] {
  const markets = marketsOf(state, event);
  if (markets.length < 2) return [event];
  const reference = referenceOf(markets);
  const status = statusOf(markets, state.now);
  const behind = markets.filter(
    (market) => market !== reference && isAside(market, reference) && isBehind(market, status, state.now),
  );
  if (behind.length === 0) return [event];
  const into = found(state, behind[0]!, receivedAt);
  moveMates(state, { event, mates: behind }, into);
  return [event, into];
}

/** Two events turned out to be one: the older survives, and the other names it from now on. */
function merge(state: EventsState, a: EventEntry, b: EventEntry): EventEntry[] {
  const [survivor, other] = isOlder(a, b) ? [a, b] : [b, a];
  for (const key of other.members) join(state, survivor, state.markets.get(key)!);
  for (const key of survivor.members) {
    for (const name of state.markets.get(key)!.keys) {
      if (state.index.get(name) === other.universalId) state.index.set(name, survivor.universalId);
    }
  }
  // The survivor may be the one whose question changed, without an entry for it yet.
  for (const key of survivor.members) index(state, survivor, state.markets.get(key)!);
  survivor.lastSeenAt = Math.max(survivor.lastSeenAt, other.lastSeenAt);
  const absorbed = [other, ...other.absorbed.map((id) => state.events.get(id)!)];
  for (const event of absorbed) event.mergedInto = survivor.universalId;
  survivor.absorbed.push(...absorbed.map((event) => event.universalId));
  other.members = [];
  other.absorbed = [];
  return [survivor, ...absorbed];
}

/**
 * Drops an event with its markets and with what was merged into it. A market that is told again later founds an event
 * anew: under the id of the old one if it had founded that too, beside it if it had not.
 */
export function forgetEvent(state: EventsState, event: EventEntry): void {
  for (const key of event.members) {
    for (const name of state.markets.get(key)!.keys) {
      if (state.index.get(name) === event.universalId) state.index.delete(name);
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
