import type { SimulatedFeed } from '../../simulation.ts';
import type { LevelBook } from '../../world/ladder-book.ts';
import type { World } from '../../world/world.ts';
import { type Accounts, BLOCK_MS } from './accounts.ts';
import { type Bar, formingBar } from './candles.ts';
import { outcomeSpec } from './catalog.ts';
import { CONTEXT_PERIOD_MS, perpContextText, spotContextText } from './contexts.ts';
import { allContextsText, midsText, perpContextsText, spotContextsText } from './info.ts';
import type { Market, Markets } from './market.ts';
import { outcomeNumber } from './market.ts';
import { frameText, tradeText } from './market-text.ts';

/** Receiver of frames: the sockets, or a recording. Topics are those of `topicOf`. */
export interface FramePublisher {
  /** True if the topic has subscribers. Frames without subscribers are not generated. */
  wants(topic: string): boolean;
  publish(topic: string, text: string): void;
  /** Candle intervals of a coin that have subscribers. */
  candleIntervals(coin: string): Iterable<string>;
  /** Users of whom a channel has subscribers. */
  users(): ReadonlySet<string>;
}

/** Canonical topic of a subscription: channel, coin or dex, and other distinguishing parameters. */
export const topicOf = {
  book: (coin: string) => `l2Book ${coin}`,
  fastBook: (coin: string) => `l2Book.fast ${coin}`,
  trades: (coin: string) => `trades ${coin}`,
  bbo: (coin: string) => `bbo ${coin}`,
  context: (coin: string) => `activeAssetCtx ${coin}`,
  candle: (coin: string, interval: string) => `candle ${coin} ${interval}`,
  mids: (dex: string) => `allMids ${dex}`,
  dexContexts: (dex: string) => `assetCtxs ${dex}`,
  allContexts: 'allDexsAssetCtxs',
  spotContexts: 'spotAssetCtxs',
  outcomes: 'outcomeMetaUpdates',
  fills: (user: string) => `userFills ${user}`,
} as const;

/** Interval of the frames with all mids. */
const MIDS_PERIOD_MS = 1_000;

/**
 * Creates the feed that converts the world's events into venue_a's frames. Trades and periodic frames are published at
 * the end of a step.
 */
export function createVenueAFeed(
  world: World,
  markets: Markets,
  accounts: Pick<Accounts, 'fillsOfBlock'>,
  publisher: FramePublisher,
): SimulatedFeed {
  const trades = new Map<string, string>();
  const bars = new Map<string, Bar>();

  const publishBook = (market: Market, atMs: number) => {
    const { coin } = market;
    const topic = topicOf.book(coin);
    const bbo = topicOf.bbo(coin);
    const fast = topicOf.fastBook(coin);
    const [wantsBook, wantsBbo, wantsFast] = [publisher.wants(topic), publisher.wants(bbo), publisher.wants(fast)];
    if (!wantsBook && !wantsBbo && !wantsFast) return;
    const { book, timeMs } = markets.bookAt(market, atMs);
    if (wantsBook) publisher.publish(topic, frameText('l2Book', markets.writer.book(market, timeMs, book, 20)));
    if (wantsFast) publisher.publish(fast, frameText('l2Book', markets.writer.book(market, timeMs, book, 5)));
    if (wantsBbo && hasNewTop(market, book, atMs)) {
      publisher.publish(bbo, frameText('bbo', markets.writer.bbo(market, timeMs, book)));
    }
  };
  /** True if the best prices differ from those of the previous book, which need not have been published. */
  const hasNewTop = (market: Market, book: LevelBook, atMs: number) => {
    const before = markets.bookAt(market, atMs - 1, 1).book;
    const [isSameBid, isSameAsk] = [
      before.bidPx[0] === book.bidPx[0] && before.bidSz[0] === book.bidSz[0],
      before.askPx[0] === book.askPx[0] && before.askSz[0] === book.askSz[0],
    ];
    return !isSameBid || !isSameAsk;
  };

  const publishTrade = (market: Market, event: number) => {
    const { coin } = market;
    const wanted = publisher.wants(topicOf.trades(coin));
    if (wanted) {
      const text = tradeText(world, coin, markets.tradeOf(market, event));
      const gathered = trades.get(coin);
      trades.set(coin, gathered === undefined ? text : `${gathered},${text}`);
    }
    for (const interval of publisher.candleIntervals(coin)) publishCandle(market, interval, event);
  };

  const publishCandle = (market: Market, interval: string, event: number) => {
    const topic = topicOf.candle(market.coin, interval);
    const trade = markets.tradeOf(market, event);
    let bar = bars.get(topic);
    if (!bar || trade.timeMs >= bar.nextMs) {
      const fresh = formingBar(markets, market, interval, trade.timeMs);
      if (!fresh) return;
      bar = fresh;
      bars.set(topic, bar);
    } else bar.add(trade);
    publisher.publish(topic, frameText('candle', bar.text(bar.close)));
  };

  const publishContexts = (atMs: number) => {
    for (const ladder of world.ladders.listed(atMs)) {
      const topic = topicOf.context(ladder.coin);
      if (!publisher.wants(topic)) continue;
      const isSpot = ladder.kind === 'spot';
      const ctx = isSpot
        ? spotContextText(world, markets, ladder, atMs)
        : perpContextText(world, markets, ladder, atMs);
      const channel = isSpot ? 'activeSpotAssetCtx' : 'activeAssetCtx';
      publisher.publish(topic, frameText(channel, `{"coin":"${ladder.coin}","ctx":${ctx}}`));
    }
    publishIfWanted(topicOf.allContexts, () => frameText('allDexsAssetCtxs', allContextsText(world, markets, atMs)));
    publishIfWanted(topicOf.spotContexts, () => frameText('spotAssetCtxs', spotContextsText(world, markets, atMs)));
    for (const dex of world.ladders.dexNames(atMs))
      publishIfWanted(topicOf.dexContexts(dex), () => dexContextsFrame(world, markets, dex, atMs));
  };
  const publishIfWanted = (topic: string, text: () => string) => {
    if (publisher.wants(topic)) publisher.publish(topic, text());
  };

  const publishFills = (fromMs: number, toMs: number) => {
    const users = publisher.users();
    if (users.size === 0) return;
    const byUser = new Map<string, object[]>();
    for (let block = Math.ceil(fromMs / BLOCK_MS) * BLOCK_MS; block < toMs; block += BLOCK_MS)
      for (const { user, fill } of accounts.fillsOfBlock(block))
        if (users.has(user)) byUser.set(user, [...(byUser.get(user) ?? []), fill]);
    for (const [user, fills] of byUser)
      publisher.publish(topicOf.fills(user), frameText('userFills', JSON.stringify({ user, fills })));
  };

  const publishMids = (atMs: number) => {
    for (const dex of world.ladders.dexNames(atMs)) {
      if (!publisher.wants(topicOf.mids(dex))) continue;
      const key = dex === '' ? '' : `,"dex":"${dex}"`;
      publisher.publish(topicOf.mids(dex), frameText('allMids', `{"mids":${midsText(markets, dex, atMs)}${key}}`));
    }
  };

  return {
    event(series, index, event) {
      if (series === 'question') return;
      const atMs = world.schedule.timeOf(event);
      const market = series.startsWith('ladder')
        ? markets.ofLadder(world.ladders.at(index, atMs))
        : markets.sidesOf(index >> 1, atMs)[(index & 1) as 0 | 1];
      if (series.endsWith('book')) publishBook(market, atMs);
      else publishTrade(market, event);
    },
    endStep(fromMs, toMs) {
      for (const [coin, text] of trades) publisher.publish(topicOf.trades(coin), frameText('trades', `[${text}]`));
      trades.clear();
      publishFills(fromMs, toMs);
      if (periodStartsIn(MIDS_PERIOD_MS, fromMs, toMs)) publishMids(toMs - 1);
      if (periodStartsIn(CONTEXT_PERIOD_MS, fromMs, toMs)) publishContexts(toMs - 1);
    },
    catalog(fromMs, toMs) {
      if (!publisher.wants(topicOf.outcomes)) return;
      const updates = [
        ...world.venueA
          .settledIn(fromMs, toMs)
          .map((question) => ({ outcomeSettled: outcomeNumber(question, world.venueA.slots.length) })),
        ...world.venueA.createdAt(fromMs).map((question) => ({ outcomeCreated: outcomeSpec(world, question) })),
      ];
      if (updates.length > 0) {
        publisher.publish(topicOf.outcomes, frameText('outcomeMetaUpdates', JSON.stringify(updates)));
      }
    },
  };
}

/** A frame with the contexts of one dex. */
export function dexContextsFrame(world: World, markets: Markets, dex: string, atMs: number): string {
  return frameText('assetCtxs', `{"dex":"${dex}","ctxs":${perpContextsText(world, markets, dex, atMs)}}`);
}

/** True if a period of this length starts in [fromMs, toMs). */
function periodStartsIn(periodMs: number, fromMs: number, toMs: number): boolean {
  return Math.floor((toMs - 1) / periodMs) !== Math.floor((fromMs - 1) / periodMs);
}
