/**
 * One order book as plain data, and the functions that apply updates to it. The normalisers, the spreads processor and
 * the query API's view hold their books in this form, so that all of them see the same book after the same updates.
 * A book is arrays with two bigints for each level: `v8.serialize` can store it and no class is needed to read it back.
 */
import { type Decimal, DecimalError, parseDecimal, ZERO } from './decimal.ts';

/** A price and the total size at it; above zero in a `Book`. */
export interface Level {
  readonly price: Decimal;
  readonly size: Decimal;
}

/** Both sides, best first: bids descending, asks ascending, no price twice. Read freely; change only through this file. */
export interface Book {
  bids: Level[];
  asks: Level[];
}

/** A level in topics: decimal text (`schemas/topics/normalised`, BookLevel). */
export interface LevelText {
  readonly price: string;
  readonly size: string;
}

/** The part of a `BookUpdate` that changes the book; a complete `BookUpdate` is one too. Levels may be in any order. */
export interface BookChange<L = LevelText> {
  /** True: these levels are the complete book. False: each level replaces the size at its price, 0 removes it. */
  readonly snapshot: boolean;
  readonly bids: readonly L[];
  readonly asks: readonly L[];
}

/** An empty book, as before the first snapshot. */
export function createBook(): Book {
  return { bids: [], asks: [] };
}

/**
 * Applies an update with decimal texts to the book, in place. Where one update has a price twice, the later one counts.
 * Throws `DecimalError` for text that is no decimal and for a negative size, and leaves the book unchanged then.
 */
export function applyBookUpdate(book: Book, update: BookChange): void {
  applyLevels(book, { snapshot: update.snapshot, bids: parseLevels(update.bids), asks: parseLevels(update.asks) });
}

/** Like `applyBookUpdate`, for levels that are parsed already. */
export function applyLevels(book: Book, update: BookChange<Level>): void {
  if (update.snapshot) {
    book.bids = snapshotSide(update.bids, DESCENDING);
    book.asks = snapshotSide(update.asks, ASCENDING);
    return;
  }
  for (const level of update.bids) setLevel(book.bids, level, DESCENDING);
  for (const level of update.asks) setLevel(book.asks, level, ASCENDING);
}

/** Parses levels without changing their order. Throws `DecimalError`, also for a negative size. */
export function parseLevels(levels: readonly LevelText[]): Level[] {
  return levels.map(({ price, size }) => {
    const level = { price: parsePrice(price), size: parseDecimal(size) };
    if (level.size < ZERO) throw new DecimalError(`negative size: ${size.slice(0, 40)}`);
    return level;
  });
}

const PROBABILITY_DECIMALS = 4;
const PROBABILITY_CHARACTERS_MAX = '0.'.length + PROBABILITY_DECIMALS;
/** 0.0000 to 0.9999: prices of outcomes, which recur in every book. */
const PROBABILITIES = Array.from({ length: 10 ** PROBABILITY_DECIMALS }, (_, at) =>
  parseDecimal(`0.${String(at).padStart(PROBABILITY_DECIMALS, '0')}`),
);
const CHARACTER_CODE_0 = 0x30;
const CHARACTER_CODE_POINT = 0x2e;

function parsePrice(text: string): Decimal {
  return PROBABILITIES[tenThousandths(text)] ?? parseDecimal(text);
}

/** Returns 5,000 for `0.5`, `0.50` and so on; -1 for a text that is not `0.` and up to four decimals. */
function tenThousandths(text: string): number {
  const { length } = text;
  if (length < 3 || length > PROBABILITY_CHARACTERS_MAX) return -1;
  if (text.charCodeAt(0) !== CHARACTER_CODE_0 || text.charCodeAt(1) !== CHARACTER_CODE_POINT) return -1;
  let value = 0;
  for (let at = 2; at < PROBABILITY_CHARACTERS_MAX; at += 1) {
    const digit = at < length ? text.charCodeAt(at) - CHARACTER_CODE_0 : 0;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** The highest bid, or null for an empty side. */
export function bestBid(book: Book): Level | null {
  return book.bids[0] ?? null;
}

/** The lowest ask, or null for an empty side. */
export function bestAsk(book: Book): Level | null {
  return book.asks[0] ?? null;
}

/** The best `depth` levels of each side, as a new book. */
export function bestLevels(book: Book, depth: number): Book {
  return { bids: book.bids.slice(0, depth), asks: book.asks.slice(0, depth) };
}

/** True if `a` comes before `b` on a side. */
type Order = (a: Decimal, b: Decimal) => boolean;
const DESCENDING: Order = (a, b) => a > b;
const ASCENDING: Order = (a, b) => a < b;

/** Index of the first level that does not come before `price`. */
function searchLevel(levels: readonly Level[], price: Decimal, before: Order): number {
  let low = 0;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(levels[middle]!.price, price)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function setLevel(levels: Level[], level: Level, before: Order): void {
  const at = searchLevel(levels, level.price, before);
  const found = levels[at]?.price === level.price;
  if (level.size === ZERO) {
    if (found) levels.splice(at, 1);
  } else if (found) levels[at] = level;
  else levels.splice(at, 0, level);
}

/** A side from a snapshot: copied where it is in order, else sorted and without duplicates. */
function snapshotSide(levels: readonly Level[], before: Order): Level[] {
  const inOrder = levels.every(
    (level, at) => level.size !== ZERO && (at === 0 || before(levels[at - 1]!.price, level.price)),
  );
  if (inOrder) return [...levels];
  const latest = new Map(levels.map((level) => [level.price, level]));
  return [...latest.values()]
    .filter((level) => level.size !== ZERO)
    .sort((a, b) => (before(a.price, b.price) ? -1 : 1));
}
