/**
 * An event with its spread and arbitrage as of one moment. They are values of three topics that a view takes one after
 * the other: between two records that one book change made, the view holds the new one of the first and the old one of
 * the second. Whoever wants all of them together looks whether they fit each other, and waits for the rest otherwise.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '#infra/store/store';
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
import type { Freshness } from '../views/freshness.ts';
import type { Views } from '../views/views.ts';
import { findEvent, survivorOf } from './find-event.ts';

export interface EventMoment {
  readonly event: UniversalEvent;
  /** Null before the first spread. */
  readonly spread: Spread | null;
  /** At most one of each kind. */
  readonly arbitrage: readonly Arbitrage[];
  /** Unix ms: the pipeline's time, or that of the newest of them. */
  readonly at: number;
}

/** The rest of a change follows within a turn of the view's loop, which a catalog page may hold up. */
const WAIT_MS = 5;
const WAITS_MAX = 20;

/**
 * The event with what fits together: waits for it at most 100 ms, as when the processors are behind the catalog, and
 * then leaves out arbitrage that does not fit the spread. Throws 404 `not_found` for an id that nobody has.
 */
export async function wholeMoment(
  { events: view, freshness }: Pick<Views, 'events' | 'freshness'>,
  store: Pick<Store, 'query'>,
  universalId: string,
): Promise<EventMoment> {
  let moment = momentOf(view, freshness, await findEvent(view, store, universalId));
  for (let waits = 0; waits < WAITS_MAX && !isWhole(moment); waits += 1) {
    await sleep(WAIT_MS);
    const event = survivorOf(view, universalId);
    // Of a past event nothing more is coming.
    if (!event) break;
    moment = momentOf(view, freshness, event);
  }
  return { ...moment, arbitrage: moment.arbitrage.filter((record) => fits(record, moment)) };
}

/** What the view holds now, in one synchronous step. */
function momentOf(view: EventsView, freshness: Freshness, event: UniversalEvent): EventMoment {
  const { universalId } = event;
  const spread = view.spreads.get(universalId) ?? null;
  const arbitrage = [...(view.arbitrage.get(universalId)?.values() ?? [])];
  const times = [...(spread ? [spread] : []), ...arbitrage].map(({ receivedAt }) => receivedAt);
  return { event, spread, arbitrage, at: Math.max(freshness.asOf(spreadHeadTopic) ?? event.receivedAt, ...times) };
}

/** Whether spread and arbitrage are those of the event's links, and the arbitrage that of the spread. */
export function isWhole(moment: EventMoment): boolean {
  const { event, spread, arbitrage } = moment;
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
    arbitrage.every((record) => fits(record, moment))
  );
}

/** The market state that the spread knew of: a leg whose market is open has the state of its book, or none yet. */
function marketStateOf({ state }: SpreadLeg): EventLink['marketState'] {
  return state === 'closed' || state === 'resolved' ? state : 'open';
}

/**
 * Whether the markets of a record are traded and its gross edge follows from the legs: from what the first is bought for,
 * and what the second is sold for, or its NO bought. The NO side of a market is a book of its own, which no leg shows,
 * unless its link is inverse.
 */
function fits(record: Arbitrage, { event, spread }: EventMoment): boolean {
  const first = legOf(spread, record.firstProvider, record.firstMarketId);
  const second = legOf(spread, record.secondProvider, record.secondMarketId);
  if (!first?.live || first.yesAsk === null || !second) return false;
  const isTraded = (leg: SpreadLeg) => marketStateOf(leg) === 'open' && linkOf(event, leg)?.marketState === 'open';
  if (!isTraded(first) || !isTraded(second)) return false;
  const isInverse = linkOf(event, second)?.polarity === 'inverse';
  if (record.kind === 'negation_pair' && !isInverse) return true;
  // Of an inverse leg, 1 - NO ask is what its YES is sold for.
  if (!second.live || second.yesBid === null) return false;
  return parseDecimal(record.grossEdge) === parseDecimal(second.yesBid) - parseDecimal(first.yesAsk);
}

function linkOf({ links }: UniversalEvent, { provider, marketId }: SpreadLeg): EventLink | undefined {
  return links.find((link) => link.provider === provider && link.providerMarketId === marketId);
}

function legOf(spread: Spread | null, provider: string, marketId: string): SpreadLeg | undefined {
  return spread?.legs.find((leg) => leg.provider === provider && leg.marketId === marketId);
}
