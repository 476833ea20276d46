import { isListed } from '../../world/ladder-board.ts';
import { LADDER_DEPTH, type LevelBook, makeLevelBook, type VenueATrade } from '../../world/ladder-book.ts';
import type { Ladder } from '../../world/ladders.ts';
import type { Question } from '../../world/questions.ts';
import type { SeriesKind, World } from '../../world/world.ts';
import { type BookWriter, createBookWriter } from './market-text.ts';

/** A market of venue_a with a book and trades: a ladder or one side of an outcome. */
export interface Market {
  readonly coin: string;
  readonly kind: 'perp' | 'spot' | 'builder' | 'outcome';
  /** The dex whose mids contain it: `` is the main one, with spot pairs and outcomes. */
  readonly dex: string;
  /** Index of the ladder, or outcome coin number (slot * 2 + side). */
  readonly index: number;
  /** It has a book and trades from this time until the other, unix ms. */
  readonly listedAtMs: number;
  readonly delistedAtMs: number;
}

/** Outcome number of a question, unique over slots and generations. */
export function outcomeNumber(question: Question, slots: number): number {
  return 1 + question.generation * slots + question.slot.index;
}

/** Coin of one side of a question: `#<10 * outcome + side>` (venue page, section 2.1). */
function outcomeCoin(question: Question, slots: number, side: number): string {
  return `#${outcomeNumber(question, slots) * 10 + side}`;
}

/** Finds venue_a's markets by coin, and calculates their books at a time and their trades. */
export interface Markets {
  /** The market of a coin that trades at this time; null if there is none. */
  find(coin: string, atMs: number): Market | null;
  /** Like `find`, but also a ladder that was delisted before. */
  findRecorded(coin: string, atMs: number): Market | null;
  /** True if the coin is in a list of the venue, also as a delisted one. */
  isKnown(coin: string, atMs: number): boolean;
  /** Every ladder that is listed at a time. */
  listed(atMs: number): readonly Market[];
  /** The market of a ladder. */
  ofLadder(ladder: Ladder): Market;
  /** Both sides of every live outcome. */
  outcomes(atMs: number): readonly Market[];
  /** Both sides of the live outcome of a slot. */
  sidesOf(slot: number, atMs: number): readonly [Market, Market];
  /** Writes the book of a market that trades at this time into a shared buffer that is valid until the next call. Returns it with its venue time. */
  bookAt(market: Market, atMs: number, depth?: number): { readonly book: LevelBook; readonly timeMs: number };
  readonly writer: BookWriter;
  /** The trade of an event of the market's trade series. */
  tradeOf(market: Market, event: number): VenueATrade;
  /** At most `limit` trades before a time, newest first. */
  recentTrades(market: Market, beforeMs: number, limit: number): readonly VenueATrade[];
  /** Number of trades in [fromMs, toMs). */
  countTrades(market: Market, fromMs: number, toMs: number): number;
  /** Trades in [fromMs, toMs), oldest first. */
  tradesBetween(market: Market, fromMs: number, toMs: number): Iterable<VenueATrade>;
  /** At most `limit` (above 1) of these trades, evenly spread; the first and the last are among them. */
  sampledTrades(market: Market, fromMs: number, toMs: number, limit: number): Iterable<VenueATrade>;
}

const DEEP = 400;

export function createMarkets(world: World): Markets {
  const { schedule, venueA } = world;
  const slots = venueA.slots.length;
  const byLadder = new WeakMap<Ladder, Market>();
  const shallow = makeLevelBook(LADDER_DEPTH);
  const deep = makeLevelBook(DEEP);
  const top = makeLevelBook(1);
  const sides = new WeakMap<Question, readonly [Market, Market]>();

  const ofLadder = (ladder: Ladder): Market => {
    const known = byLadder.get(ladder);
    if (known) return known;
    const { coin, kind, index, dex, listedAtMs, delistedAtMs } = ladder;
    const market = { coin, kind, index, dex: dex ?? '', listedAtMs, delistedAtMs };
    byLadder.set(ladder, market);
    return market;
  };
  const sidesOf = (slot: number, atMs: number) => {
    const question = venueA.liveIn(slot, atMs);
    let pair = sides.get(question);
    if (!pair) {
      const make = (side: 0 | 1): Market => ({
        coin: outcomeCoin(question, slots, side),
        kind: 'outcome',
        dex: '',
        index: slot * 2 + side,
        listedAtMs: question.listedAtMs,
        delistedAtMs: question.expiresAtMs,
      });
      pair = [make(0), make(1)];
      sides.set(question, pair);
    }
    return pair;
  };
  const seriesOf = (market: Market, what: 'book' | 'trade') => {
    const kind = `${market.kind === 'outcome' ? 'outcome' : 'ladder'}_${what}` as SeriesKind;
    return world.seriesOf(kind, market.index);
  };
  const tradeOf = (market: Market, event: number) =>
    market.kind === 'outcome' ? world.outcomeTradeOf(market.index, event) : world.ladderTradeOf(market.index, event);
  /** Versions of the trades of a market in [fromMs, toMs): the first one, and the one after the last. */
  const versionsOf = (market: Market, fromMs: number, toMs: number) => {
    const series = seriesOf(market, 'trade');
    const first = schedule.versionAt(series, Math.max(fromMs, market.listedAtMs)) + 1;
    const end = schedule.versionAt(series, Math.min(toMs, market.delistedAtMs)) + 1;
    return { series, first, end: Math.max(first, end) };
  };
  const findOutcome = (coin: string, atMs: number): Market | null => {
    const digits = /^#(\d{1,15})$/.exec(coin)?.[1];
    if (!digits) return null;
    const number = Number(digits);
    const outcome = Math.floor(number / 10);
    const side = number % 10;
    if (side > 1 || outcome < 1) return null;
    const market = sidesOf((outcome - 1) % slots, atMs)[side as 0 | 1];
    return market.coin === coin ? market : null;
  };

  return {
    writer: createBookWriter(),
    sidesOf,
    ofLadder,
    listed: (atMs) => world.ladders.listed(atMs).map(ofLadder),
    find(coin, atMs) {
      const ladder = world.ladders.find(coin, atMs);
      if (ladder) return isListed(ladder, atMs) ? ofLadder(ladder) : null;
      return findOutcome(coin, atMs);
    },
    findRecorded(coin, atMs) {
      const ladder = world.ladders.find(coin, atMs);
      return ladder ? ofLadder(ladder) : findOutcome(coin, atMs);
    },
    isKnown(coin, atMs) {
      const ladder = world.ladders.find(coin, atMs);
      if (!ladder) return findOutcome(coin, atMs) !== null;
      return isListed(ladder, atMs) || (world.ladders.universe(ladder.dex ?? '', atMs) ?? []).includes(ladder);
    },
    outcomes: (atMs) => venueA.slots.flatMap((slot) => sidesOf(slot.index, atMs)),
    bookAt(market, atMs, depth = LADDER_DEPTH) {
      const book = depth === 1 ? top : depth > LADDER_DEPTH ? deep : shallow;
      const timeMs =
        market.kind === 'outcome'
          ? world.outcomeBookAt(market.index, atMs, book)
          : world.ladderBookAt(market.index, atMs, Math.min(depth, DEEP), book);
      return { book, timeMs };
    },
    tradeOf,
    recentTrades(market, beforeMs, limit) {
      const { series, first, end } = versionsOf(market, 0, beforeMs);
      const versions = Array.from({ length: Math.min(limit, end - first) }, (_, back) => end - 1 - back);
      return versions.map((version) => tradeOf(market, schedule.eventOf(series, version)));
    },
    countTrades(market, fromMs, toMs) {
      const { first, end } = versionsOf(market, fromMs, toMs);
      return end - first;
    },
    *tradesBetween(market, fromMs, toMs) {
      const { series, first, end } = versionsOf(market, fromMs, toMs);
      for (let version = first; version < end; version += 1) yield tradeOf(market, schedule.eventOf(series, version));
    },
    *sampledTrades(market, fromMs, toMs, limit) {
      const { series, first, end } = versionsOf(market, fromMs, toMs);
      const count = end - first;
      const sampled = Math.min(limit, count);
      for (let nth = 0; nth < sampled; nth += 1) {
        const version = first + Math.round((nth * (count - 1)) / Math.max(1, sampled - 1));
        yield tradeOf(market, schedule.eventOf(series, version));
      }
    },
  };
}
