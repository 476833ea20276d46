import { boundedSize, hashOf, STREAM } from './hash.ts';
import { WIDE_HALF } from './injections.ts';
import type { LevelBook, Top, VenueATrade } from './ladder-book.ts';
import type { Question } from './questions.ts';
import { quotedProbability } from './quotes.ts';

/** Prices of outcome coins have four decimals, sizes one. */
const OUTCOME_PRICE_DECIMALS = 4;
const OUTCOME_SIZE_DECIMALS = 1;
const ONE = 10_000;
const LEAST = 10;
/** Mean and deviation of the shares of a trade, which are 5 to 255, mostly small or large (`boundedSize`). */
export const OUTCOME_SHARES = { mean: 130, deviation: 87 } as const;
/** Number of versions for which the spread does not change. */
const TOP_TERM = 12;

/** YES and NO of a question have separate books: side 0 is YES, side 1 is NO (venue page, section 3.5). */
export type OutcomeSide = 0 | 1;

/** Best prices of an outcome coin in a version of its book that appeared at `atMs`. */
function outcomeTop(
  seed: number,
  question: Question,
  side: OutcomeSide,
  version: number,
  atMs: number,
  isWide = false,
): Top {
  const yes = quotedProbability(seed, question, atMs) * ONE;
  const chance = hashOf(seed, STREAM.outcomeTop, Math.floor(version / TOP_TERM), question.slot.index * 2 + side);
  // The NO book has other makers than the YES book, so its mid price differs slightly and its spread is independent.
  const mid = side === 0 ? yes : ONE - yes + (chance % 21) - 10;
  const half = isWide ? WIDE_HALF * ONE : 18 + ((chance >>> 8) % 34);
  const bid = Math.max(LEAST, Math.min(ONE - LEAST - 1, Math.floor(mid - half)));
  const ask = Math.max(bid + 1, Math.min(ONE - LEAST, Math.ceil(mid + half)));
  return { bid, ask, decimals: OUTCOME_PRICE_DECIMALS };
}

function fillSide(
  seed: number,
  key: number,
  version: number,
  start: number,
  direction: 1 | -1,
  px: Float64Array,
  sz: Float64Array,
  count: Int32Array,
): number {
  let price = start;
  let level = 0;
  while (level < px.length && price >= LEAST && price <= ONE - LEAST) {
    const chance = hashOf(
      seed,
      STREAM.outcomeLevel,
      key * ONE + price,
      Math.floor((version + (price & 31)) / 32) * direction,
    );
    px[level] = price;
    // One level in sixteen is thin, so that a hundred shares are not always available at the top.
    const thin = (chance & 15) === 0 ? 0.1 : 1;
    sz[level] = Math.max(10, Math.round((700 + ((chance >>> 8) % 5_200)) * thin * (1 + level / 4)));
    count[level] = 1 + ((chance >>> 5) % 6);
    level += 1;
    price += direction * (8 + (chance % 23));
  }
  return level;
}

/** Writes a version of an outcome coin's book into `book`. Near 0 and 1 a side has fewer levels. */
export function fillOutcomeBook(
  seed: number,
  question: Question,
  side: OutcomeSide,
  version: number,
  atMs: number,
  book: LevelBook,
  isWide = false,
): LevelBook {
  const top = outcomeTop(seed, question, side, version, atMs, isWide);
  const key = question.slot.index * 2 + side;
  book.bidDepth = fillSide(seed, key, version, top.bid, -1, book.bidPx, book.bidSz, book.bidCount);
  book.askDepth = fillSide(seed, key, version, top.ask, 1, book.askPx, book.askSz, book.askCount);
  book.priceDecimals = OUTCOME_PRICE_DECIMALS;
  book.sizeDecimals = OUTCOME_SIZE_DECIMALS;
  return book;
}

/** The trade of an event on an outcome coin, at the best price of the book at its time. */
export function outcomeTrade(
  seed: number,
  question: Question,
  side: OutcomeSide,
  event: number,
  timeMs: number,
  bookVersion: number,
  bookAtMs: number,
): VenueATrade {
  const top = outcomeTop(seed, question, side, bookVersion, bookAtMs);
  const chance = hashOf(seed, STREAM.outcomeTrade, event, question.slot.index * 2 + side);
  const isBuy = (chance & 1) === 1;
  const share = ((chance >>> 1) & 0xffff) / 65_536;
  return {
    side: isBuy ? 'B' : 'A',
    px: isBuy ? top.ask : top.bid,
    // Bounded, so that an ordinary minute is never an anomaly.
    sz: 50 + Math.round(boundedSize(share) * 2_500),
    priceDecimals: OUTCOME_PRICE_DECIMALS,
    sizeDecimals: OUTCOME_SIZE_DECIMALS,
    timeMs,
    event,
  };
}
