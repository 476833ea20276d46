/**
 * Reads an event with its spread and arbitrage as of one moment. They come from three topics that the view processes
 * one record at a time: between two records of the same book change, the view holds the new value of one topic and the
 * old value of another. A reader of all three therefore checks their consistency, and waits for the missing records.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDecimal } from '#schemas/domain/decimal';
import { hasLeg } from '#schemas/domain/linked-markets';
import {
  type Arbitrage,
  type EventLink,
  type Spread,
  type SpreadLeg,
  spreadHeadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import type { EventsView } from '../views/events.ts';
import { type Freshness, waitForBooks } from '../views/freshness.ts';
import type { Views } from '../views/views.ts';
import { findEvent, survivorOf } from './find-event.ts';
import type { Reader } from './query.ts';

export interface ConsistentEvent {
  readonly event: UniversalEvent;
  /** Null before the first spread. */
  readonly spread: Spread | null;
  /** At most one record of each kind. */
  readonly arbitrage: readonly Arbitrage[];
  /** Unix ms: the position of the spreads stage, or the time of the newest of these records if that is later. */
  readonly at: number;
}

/** The rest of a change usually follows within one iteration of the view's loop, unless a catalog page delays it. */
const WAIT_MS = 5;
const WAITS_MAX = 20;

/**
 * Returns a consistent snapshot of an event. It waits for one at most 100 ms (the processors may lag behind the
 * catalog), and then leaves out arbitrage that does not match the spread. Throws 404 `not_found` for an unknown id.
 */
export async function readConsistentEvent(
  { events: view, freshness }: Pick<Views, 'events' | 'freshness'>,
  store: Reader,
  universalId: string,
): Promise<ConsistentEvent> {
  const found = await findEvent(view, store, universalId);
  await waitForBooks(freshness, spreadHeadTopic);
  let snapshot = snapshotOf(view, freshness, survivorOf(view, universalId) ?? found);
  for (let waits = 0; waits < WAITS_MAX && !isConsistent(snapshot); waits += 1) {
    await sleep(WAIT_MS);
    const event = survivorOf(view, universalId);
    // An archived event gets no more records.
    if (!event) break;
    snapshot = snapshotOf(view, freshness, event);
  }
  return { ...snapshot, arbitrage: snapshot.arbitrage.filter((record) => matchesSpread(record, snapshot)) };
}

/** What the view holds now, read synchronously. */
function snapshotOf(view: EventsView, freshness: Freshness, event: UniversalEvent): ConsistentEvent {
  const { universalId } = event;
  const spread = view.spreads.get(universalId) ?? null;
  const arbitrage = [...(view.arbitrage.get(universalId)?.values() ?? [])];
  const times = [...(spread ? [spread] : []), ...arbitrage].map(({ receivedAt }) => receivedAt);
  return { event, spread, arbitrage, at: Math.max(freshness.asOf(spreadHeadTopic) ?? event.receivedAt, ...times) };
}

/** True if the spread matches the event's links, and the arbitrage matches the spread. */
function isConsistent(snapshot: ConsistentEvent): boolean {
  const { event, spread, arbitrage } = snapshot;
  const linked = event.links.filter(hasLeg);
  const legs = spread?.legs ?? [];
  return (
    legs.length === linked.length &&
    linked.every((link, at) => {
      const leg = legs[at]!;
      return (
        leg.provider === link.provider &&
        leg.marketId === link.providerMarketId &&
        marketStateOf(leg) === link.marketState
      );
    }) &&
    arbitrage.every((record) => matchesSpread(record, snapshot))
  );
}

/** The market state at the time of the spread. A leg of an open market has the state of its book, or none yet. */
function marketStateOf({ state }: SpreadLeg): EventLink['marketState'] {
  return state === 'closed' || state === 'resolved' ? state : 'open';
}

/**
 * True if the markets of a record are open and its gross edge follows from the legs: from the ask of the first leg and
 * the bid of the second. If NO of the second market is bought, its NO book is needed, which a leg shows only for an
 * inverse link; otherwise the edge is not checked.
 */
function matchesSpread(record: Arbitrage, { event, spread }: ConsistentEvent): boolean {
  const first = legOf(spread, record.firstProvider, record.firstMarketId);
  const second = legOf(spread, record.secondProvider, record.secondMarketId);
  if (!first?.live || first.yesAsk === null || !second) return false;
  const isTraded = (leg: SpreadLeg) => marketStateOf(leg) === 'open' && linkOf(event, leg)?.marketState === 'open';
  if (!isTraded(first) || !isTraded(second)) return false;
  const isInverse = linkOf(event, second)?.polarity === 'inverse';
  if (record.kind === 'negation_pair' && !isInverse) return true;
  // For an inverse link, the YES bid of the leg is 1 - NO ask.
  if (!second.live || second.yesBid === null) return false;
  return parseDecimal(record.grossEdge) === parseDecimal(second.yesBid) - parseDecimal(first.yesAsk);
}

function linkOf({ links }: UniversalEvent, { provider, marketId }: SpreadLeg): EventLink | undefined {
  return links.find((link) => link.provider === provider && link.providerMarketId === marketId);
}

function legOf(spread: Spread | null, provider: string, marketId: string): SpreadLeg | undefined {
  return spread?.legs.find((leg) => leg.provider === provider && leg.marketId === marketId);
}
