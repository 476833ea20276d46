import { hashOf, STREAM } from './hash.ts';
import { type Ladder, ladderMid, priceDecimals } from './ladders.ts';

export const LADDER_DEPTH = 20;
/** Number of versions for which the rounding of the top, and a level's size, do not change. */
const TOP_TERM = 8;
const SIZE_TERM = 64;

/** Levels of both sides, best first; prices in units of 10^-`priceDecimals`, sizes in units of 10^-`sizeDecimals`. */
export interface LevelBook {
  priceDecimals: number;
  sizeDecimals: number;
  /** Number of levels per side. */
  bidDepth: number;
  askDepth: number;
  readonly bidPx: Float64Array;
  readonly bidSz: Float64Array;
  readonly bidCount: Int32Array;
  readonly askPx: Float64Array;
  readonly askSz: Float64Array;
  readonly askCount: Int32Array;
}

/** Allocates a book. Books are written into existing ones, since hundreds are generated per second. */
export function makeLevelBook(depth: number): LevelBook {
  const prices = () => new Float64Array(depth);
  const counts = () => new Int32Array(depth);
  return {
    priceDecimals: 0,
    sizeDecimals: 0,
    bidDepth: 0,
    askDepth: 0,
    bidPx: prices(),
    bidSz: prices(),
    bidCount: counts(),
    askPx: prices(),
    askSz: prices(),
    askCount: counts(),
  };
}

/** Best prices in units of 10^-`decimals`. */
export interface Top {
  readonly bid: number;
  readonly ask: number;
  readonly decimals: number;
}

/** Best bid and ask of a ladder in a version of its book that appeared at `atMs`. */
function ladderTop(seed: number, ladder: Ladder, version: number, atMs: number): Top {
  const mid = ladderMid(seed, ladder, atMs);
  const decimals = priceDecimals(ladder, mid);
  const ticks = mid * 10 ** decimals;
  // Best prices change less often than the book.
  const chance = hashOf(seed, STREAM.ladderTop, Math.floor(version / TOP_TERM), ladder.index);
  const bid = Math.floor(ticks - (chance & 0xffff) / 65_536);
  return { bid, ask: bid + 1 + ((chance >>> 16) % 2), decimals };
}

/**
 * Writes the levels of one side. A level's size depends on its price and changes only sometimes, so that successive
 * books are similar.
 */
function fillSide(
  seed: number,
  ladder: Ladder,
  version: number,
  start: number,
  direction: 1 | -1,
  depth: number,
  px: Float64Array,
  sz: Float64Array,
  count: Int32Array,
  unit: number,
): void {
  let price = start;
  for (let level = 0; level < depth; level += 1) {
    const phase = (price * 13 + (direction === 1 ? 5 : 0)) % SIZE_TERM;
    const age = Math.floor((version + phase) / SIZE_TERM) * direction;
    const chance = hashOf(seed, STREAM.ladderLevel, price * 4096 + ladder.index, age);
    px[level] = price;
    sz[level] = Math.max(1, Math.round(unit * (1 + level / 6) * (0.15 + (chance & 1023) / 400)));
    count[level] = 1 + ((chance >>> 10) % 18);
    price += direction * (1 + (chance % 5 === 0 ? 1 : 0));
  }
}

/** Writes a version of a ladder's book into `book`. */
export function fillLadderBook(
  seed: number,
  ladder: Ladder,
  version: number,
  atMs: number,
  depth: number,
  book: LevelBook,
): LevelBook {
  const top = ladderTop(seed, ladder, version, atMs);
  const unit = (sizeUnitUsd(ladder) / (top.bid / 10 ** top.decimals)) * 10 ** ladder.szDecimals;
  book.priceDecimals = top.decimals;
  book.sizeDecimals = ladder.szDecimals;
  book.bidDepth = depth;
  book.askDepth = depth;
  fillSide(seed, ladder, version, top.bid, -1, depth, book.bidPx, book.bidSz, book.bidCount, unit);
  fillSide(seed, ladder, version, top.ask, 1, depth, book.askPx, book.askSz, book.askCount, unit);
  return book;
}

/** Typical size of a level, USD. */
function sizeUnitUsd(ladder: Ladder): number {
  return 4_000 + 120_000 * ladder.asset.weight;
}

/** Size of a trade: at least this much USD, plus a share of the typical size of a level. */
const MIN_TRADE_USD = 11;
const LARGEST_TRADE_SHARE = 0.6;
/** A uniform value is raised to this power, so that small trades are common and large ones rare. */
const TRADE_SIZE_POWER = 4;

/** Mean and standard deviation of the size of a ladder's trades, USD. */
export function ladderTradeUsd(ladder: Ladder): { readonly mean: number; readonly deviation: number } {
  const largest = LARGEST_TRADE_SHARE * sizeUnitUsd(ladder);
  const [mean, meanOfSquares] = [1 / (TRADE_SIZE_POWER + 1), 1 / (2 * TRADE_SIZE_POWER + 1)];
  return { mean: MIN_TRADE_USD + largest * mean, deviation: largest * Math.sqrt(meanOfSquares - mean ** 2) };
}

/** A trade between two accounts on a venue_a market. */
export interface VenueATrade {
  /** The taker's side: `B` bought, `A` sold. */
  readonly side: 'B' | 'A';
  readonly px: number;
  readonly sz: number;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
  /** Venue time, unix ms. */
  readonly timeMs: number;
  /** Number of the event, from which trade id, hash and accounts are derived. */
  readonly event: number;
}

/** The trade of an event, at the best price of the book at its time. */
export function ladderTrade(
  seed: number,
  ladder: Ladder,
  event: number,
  timeMs: number,
  bookVersion: number,
  bookAtMs: number,
): VenueATrade {
  const top = ladderTop(seed, ladder, bookVersion, bookAtMs);
  const chance = hashOf(seed, STREAM.ladderTrade, event, ladder.index);
  const isBuy = (chance & 1) === 1;
  const share = ((chance >>> 1) & 0xffff) / 65_536;
  const usd = MIN_TRADE_USD + share ** TRADE_SIZE_POWER * LARGEST_TRADE_SHARE * sizeUnitUsd(ladder);
  const px = isBuy ? top.ask : top.bid;
  const sz = Math.max(1, Math.round((usd / (px / 10 ** top.decimals)) * 10 ** ladder.szDecimals));
  return {
    side: isBuy ? 'B' : 'A',
    px,
    sz,
    priceDecimals: top.decimals,
    sizeDecimals: ladder.szDecimals,
    timeMs,
    event,
  };
}
