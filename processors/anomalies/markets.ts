/** Which markets there are, of which events, and what is let go of. */
import { isPast, pastBefore } from '#schemas/domain/past-events';
import { marketKey } from '#schemas/domain/providers';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import { dropBefore, type Series } from './series.ts';
import { type AnomaliesState, type MarketState, WINDOW_MINUTES } from './state.ts';

/**
 * Takes the markets of a new or changed event and gives their keys. One that was merged into another has no links: the
 * survivor has them.
 */
export function placeMarkets(state: AnomaliesState, event: UniversalEvent, receivedAt: number): string[] {
  const isGone = isPast(event, pastBefore(receivedAt));
  return event.links.flatMap((link) => {
    // A catalog's past, told long after it: nothing can happen there that was not seen then.
    if (isGone && !state.markets.has(marketKey(link.provider, link.providerMarketId))) return [];
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
  // Another YES side has another book.
  if (market.yes !== yes) market.book = yes === '' ? null : (state.waitingBooks.get(yes) ?? null);
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

/** The book of an instrument is no more: its market ended. */
export function dropBook(state: AnomaliesState, instrument: string): void {
  state.waitingBooks.delete(instrument);
  const market = state.markets.get(state.yesOf.get(instrument) ?? '');
  if (market) market.book = null;
}

/** The feed of a book is lost: how it stands until its next frame nobody knows. */
export function markBookLost(state: AnomaliesState, instrument: string): void {
  const market = state.markets.get(state.yesOf.get(instrument) ?? '');
  if (market) market.isBookLost = true;
}

/** Lets go of the buckets of quiet markets: nothing else would. For once an hour. */
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

/** Forgets the markets of past events, as the stage `events` does. For once a day: that is when events become past. */
export function forgetArchived(state: AnomaliesState, now: number): void {
  const before = pastBefore(now);
  for (const [key, market] of state.markets) {
    if (market.overAt === null || market.overAt >= before) continue;
    unlinkInstruments(state, market);
    state.markets.delete(key);
  }
}
