/** Tracks the markets and their events, and removes outdated state. */
import { archiveCutoff, isArchived } from '#schemas/domain/archived-events';
import { marketKey } from '#schemas/domain/providers';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import { dropBefore, type Series } from './series.ts';
import { type AnomaliesState, type MarketState, WINDOW_MINUTES } from './state.ts';

/**
 * Applies the markets of a new or changed event and returns their keys. A merged event has no links, because its
 * survivor has them.
 */
export function placeMarkets(state: AnomaliesState, event: UniversalEvent, receivedAt: number): string[] {
  const isEventArchived = isArchived(event, archiveCutoff(receivedAt));
  return event.links.flatMap((link) => {
    // Nothing new can happen to a market of an archived event.
    if (isEventArchived && !state.markets.has(marketKey(link.provider, link.providerMarketId))) return [];
    const market = placeMarket(state, link, event.universalId);
    market.overAt = event.overAt;
    market.isResolved = event.status === 'resolved';
    if (market.isResolved) market.book = null;
    return marketKey(market.provider, market.marketId);
  });
}

function placeMarket(state: AnomaliesState, link: EventLink, universalId: string): MarketState {
  const { provider, providerMarketId: marketId, yesInstrument: yes, noInstrument: no } = link;
  const key = marketKey(provider, marketId);
  let market = state.markets.get(key);
  if (!market) {
    market = createMarket(provider, marketId, universalId);
    state.markets.set(key, market);
  }
  market.universalId = universalId;
  if (market.yes === yes && market.no === no) return market;
  unlinkInstruments(state, market);
  // A changed YES instrument has another book.
  if (market.yes !== yes) {
    market.book = yes === '' ? null : (state.waitingBooks.get(yes) ?? null);
    market.isBookLost = false;
    market.widest = null;
  }
  market.yes = yes;
  market.no = no;
  if (yes !== '') state.yesOf.set(yes, key);
  if (no !== null) state.noSides.add(no);
  state.waitingBooks.delete(yes);
  if (no !== null) state.waitingBooks.delete(no);
  return market;
}

function createMarket(provider: string, marketId: string, universalId: string): MarketState {
  return {
    provider,
    marketId,
    universalId,
    yes: '',
    no: null,
    book: null,
    isBookLost: false,
    widest: null,
    spreads: null,
    volumes: null,
    fills: null,
    delay: null,
    openEpisodes: [],
    isResolved: false,
    overAt: null,
  };
}

function unlinkInstruments(state: AnomaliesState, { yes, no }: MarketState): void {
  state.yesOf.delete(yes);
  if (no !== null) state.noSides.delete(no);
}

/** Removes the book of an instrument whose market ended. */
export function dropBook(state: AnomaliesState, instrument: string): void {
  state.waitingBooks.delete(instrument);
  const market = state.markets.get(state.yesOf.get(instrument) ?? '');
  if (market) market.book = null;
}

/**
 * Records that the feed of a book was lost: the book is unknown until its next frame. A book that waits for its event is
 * dropped, since a complete one follows.
 */
export function markBookLost(state: AnomaliesState, instrument: string): void {
  state.waitingBooks.delete(instrument);
  const market = state.markets.get(state.yesOf.get(instrument) ?? '');
  if (market) market.isBookLost = true;
}

/** Drops the old buckets of quiet markets, which nothing else drops. Call it once an hour. */
export function dropOldBuckets(state: AnomaliesState, minute: number): void {
  const from = minute - WINDOW_MINUTES;
  for (const market of state.markets.values()) {
    market.spreads = withoutOld(market.spreads, from);
    market.volumes = withoutOld(market.volumes, from);
    market.fills = withoutOld(market.fills, from);
  }
}

function withoutOld(series: Series | null, from: number): Series | null {
  if (series) dropBefore(series, from);
  return series && series.count > 0 ? series : null;
}

/** Removes the markets of archived events, like the stage `events`. Call it when events are archived. */
export function removeArchived(state: AnomaliesState, now: number): void {
  const before = archiveCutoff(now);
  for (const [key, market] of state.markets) {
    if (market.overAt === null || market.overAt >= before) continue;
    unlinkInstruments(state, market);
    state.markets.delete(key);
  }
}
