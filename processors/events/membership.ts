/** Which market belongs to which event. Every market belongs to exactly one, alone if nothing matches it. */
import type { EventEntry, EventsState, MarketEntry } from './state.ts';
import { universalIdOf } from './universal-id.ts';

/** Markets of one event at most: what is told of an event stays small, whatever a venue lists. */
export const MEMBERS_MAX = 50;

/** Places a market that is new, or whose question changed. Gives the events to tell anew. */
export function place(state: EventsState, market: MarketEntry, receivedAt: number): EventEntry[] {
  const known = state.markets.get(market.key);
  state.markets.set(market.key, market);
  if (!known) {
    const event = findEvent(state, market) ?? found(state, market, receivedAt);
    join(state, event, market);
    return [event];
  }
  const current = state.events.get(known.eventId)!;
  market.eventId = known.eventId;
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

/** The event that the market joins: by the same moment first, then by the same day. */
function findEvent(state: EventsState, market: MarketEntry): EventEntry | undefined {
  for (const key of market.keys) {
    const event = state.events.get(state.index.get(key) ?? '');
    if (event && (event.members.length < MEMBERS_MAX || event.members.includes(market.key))) return event;
  }
  return undefined;
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
    mergedInto: null,
    absorbed: [],
    told: '',
    deadline: null,
    resolvedAt: null,
  };
  state.founded += 1;
  state.events.set(universalId, event);
  for (const key of market.keys) state.index.set(key, universalId);
  return event;
}

function join(state: EventsState, event: EventEntry, market: MarketEntry): void {
  event.members.push(market.key);
  market.eventId = event.universalId;
  index(state, event, market);
}

/** A newcomer adds the key of its moment alone: by its day, markets that agree with it and not with the others would join. */
function index(state: EventsState, event: EventEntry, market: MarketEntry): void {
  const keys = event.members[0] === market.key ? market.keys : market.keys.slice(0, market.keys.length - 1);
  for (const key of keys) if (!state.index.has(key)) state.index.set(key, event.universalId);
}

/** Takes the keys of a market out, and puts back those that the remaining members have. */
function unindex(state: EventsState, event: EventEntry, market: MarketEntry): void {
  for (const key of market.keys) if (state.index.get(key) === event.universalId) state.index.delete(key);
  for (const key of event.members) {
    const member = state.markets.get(key)!;
    if (member.key !== market.key) index(state, event, member);
  }
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
 * Drops an event with its markets and with what was merged into it. What was told of it stays told; a market that comes
 * again founds its event anew, under the same id if it was the first one then too.
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
