import type { SimulatedFeed } from '../../simulation.ts';
import { probabilityText } from '../../world/number-text.ts';
import { bookChanges } from '../../world/question-book.ts';
import { HOUR_MS } from '../../world/time.ts';
import type { QuestionUpdate, World } from '../../world/world.ts';
import type { Catalog } from './catalog.ts';
import type { ListedMarket, MarketBoard } from './market-board.ts';
import { bestFrame, bestOf, bookFrame, lastTradeFrame, priceChangeFrame, tickFrame } from './market-text.ts';

/** Receiver of market frames: the sockets, or a recording. */
export interface MarketPublisher {
  /** True if a token of the market has subscribers. */
  wants(conditionId: string): boolean;
  /** Sends once to everyone who subscribes to a token of the market. */
  toMarket(conditionId: string, text: string): void;
  /** Sends to everyone who subscribes to the token. */
  toToken(tokenId: string, text: string): void;
  /** Sends to subscribers of the token with custom features enabled. */
  toTokenCustom(tokenId: string, text: string): void;
  /** Sends to everyone with custom features enabled. */
  toCustom(text: string): void;
  /** True if a client has custom features enabled. */
  wantsCustom(): boolean;
}

/** Time before an hour in which the ids of the next questions are computed. */
const WARM_UP_MS = 60_000;

export interface VenueBFeed extends SimulatedFeed {
  /** The `book` frame of a token as of a time; null if it does not trade then. */
  bookFrameAt(market: ListedMarket, token: 0 | 1, atMs: number): string | null;
}

/** Price of a token's last trade as text; empty if there was no recent one. */
export function lastTradeText(board: MarketBoard, update: QuestionUpdate, token: number): string {
  const price = board.lastPrice(update);
  if (price === null) return '';
  return probabilityText(token === 0 ? price : 1_000 - price);
}

/** Creates the feed that converts the world's events into venue_b's market frames. */
export function createVenueBFeed(
  world: World,
  board: MarketBoard,
  catalog: Catalog,
  publisher: MarketPublisher,
): VenueBFeed {
  const states: (QuestionUpdate | undefined)[] = [];

  /** The state before a version, which subscribers hold. Calculated again if there were no subscribers. */
  const stateBefore = (slot: number, version: number, after: QuestionUpdate): QuestionUpdate => {
    const cached = states[slot];
    if (cached && cached.version === version - 1 && cached.question === after.question) return cached;
    return world.questionBefore(slot, version);
  };

  const publishBooks = ({ ids }: ListedMarket, update: QuestionUpdate, atMs: number) => {
    for (const token of [0, 1] as const) {
      const last = lastTradeText(board, update, token);
      publisher.toToken(ids.tokenIds[token], bookFrame(world, ids, update, token, atMs, last));
    }
  };

  /** Computes some ids of the markets of the next hour in each step, since all at once would take too long. */
  const warm = (hourMs: number, sinceMs: number, stepMs: number) => {
    const { slots } = world.venueB;
    const place = (ms: number) => Math.floor((slots.length * ms) / WARM_UP_MS);
    for (let slot = place(sinceMs); slot < place(sinceMs + stepMs); slot += 1) {
      const { expiresAtMs, generation } = world.venueB.liveIn(slot, hourMs - 1);
      if (expiresAtMs === hourMs) world.idsOf(world.venueB.byGeneration(slot, generation + 1));
    }
  };

  const publishBest = ({ ids }: ListedMarket, before: QuestionUpdate, after: QuestionUpdate, atMs: number) => {
    const [old, now] = [bestOf(before.book, 0), bestOf(after.book, 0)];
    if (old.bid === now.bid && old.ask === now.ask) return;
    for (const token of [0, 1] as const) {
      publisher.toTokenCustom(ids.tokenIds[token], bestFrame(ids, after.book, token, atMs));
    }
  };

  const publishUpdate = (market: ListedMarket, before: QuestionUpdate, after: QuestionUpdate, atMs: number) => {
    const { ids } = market;
    const { match } = after;
    for (const leg of match?.legs ?? []) {
      publisher.toToken(ids.tokenIds[match!.token], lastTradeFrame(world, ids, match!, leg));
    }
    if (before.book.tick !== after.book.tick) {
      for (const token of [0, 1] as const) {
        publisher.toToken(ids.tokenIds[token], tickFrame(ids, before.book, after.book, token, atMs));
      }
      publishBooks(market, after, atMs);
    } else {
      const changes = bookChanges(before.book, after.book);
      const best = changes.length > 0 ? changes : repeatedBest(after);
      // A match that clears a level is published as complete books, as the venue does after trades; other changes as
      // levels.
      if (match && changes.some((change) => change.size === 0)) publishBooks(market, after, atMs);
      else if (best.length > 0) publisher.toMarket(ids.conditionId, priceChangeFrame(world, ids, after, best, atMs));
    }
    if (publisher.wantsCustom()) publishBest(market, before, after, atMs);
  };

  return {
    event(series, slot, event) {
      if (series !== 'question') return;
      const atMs = world.schedule.timeOf(event);
      const market = board.listed(world.venueB.liveIn(slot, atMs));
      if (!publisher.wants(market.ids.conditionId)) return;
      const version = world.schedule.versionOf(event);
      const after = world.questionUpdate(slot, version);
      const before = stateBefore(slot, version, after);
      states[slot] = after;
      publishUpdate(market, before, after, atMs);
    },
    catalog(fromMs, toMs) {
      const untilHourMs = HOUR_MS - (fromMs % HOUR_MS);
      if (untilHourMs <= WARM_UP_MS) warm(fromMs + untilHourMs, WARM_UP_MS - untilHourMs, toMs - fromMs);
      if (!publisher.wantsCustom()) return;
      for (const question of world.venueB.settledIn(fromMs, toMs)) {
        publisher.toCustom(catalog.resolvedFrame(board.listed(question), fromMs));
      }
      for (const question of world.venueB.createdAt(fromMs)) {
        publisher.toCustom(catalog.newMarketFrame(board.listed(question), fromMs));
      }
    },
    bookFrameAt(market, token, atMs) {
      const update = board.bookOf(market, atMs);
      if (!update) return null;
      return bookFrame(world, market.ids, update, token, atMs, lastTradeText(board, update, token));
    },
  };
}

/** The unchanged best bid, for an update without changes. */
function repeatedBest({ book }: QuestionUpdate) {
  const best = book.bids[0];
  return best ? [{ ...best, isBid: true }] : [];
}
