/**
 * The books of one account: for each instrument the lots of each builder, and the position they sum to. Books and
 * instruments without lots are left out.
 */
import { type Decimal, ZERO } from '../decimal.ts';
import type { Effect } from './effect.ts';
import { growLot, type Lot, removePart, restorePart } from './lots.ts';

export interface Book {
  readonly builder: string | null;
  /** Positive lots, in the order in which they were opened. */
  readonly longs: Lot[];
  /** Negative lots, in the order in which they were opened. */
  readonly shorts: Lot[];
  /** True once it was published that the book is open. */
  isPublished: boolean;
}

export interface Holding {
  position: Decimal;
  readonly books: Book[];
}

export interface Books {
  readonly holdings: Map<string, Holding>;
}

/** A part of a lot that was closed, with the builder of its book. */
export interface ClosedPart {
  readonly builder: string | null;
  readonly part: Lot;
}

export function createBooks(): Books {
  return { holdings: new Map() };
}

export function positionOf({ holdings }: Books, instrument: string): Decimal {
  return holdings.get(instrument)?.position ?? ZERO;
}

export function booksOf({ holdings }: Books, instrument: string): readonly Book[] {
  return holdings.get(instrument)?.books ?? [];
}

/** Returns all lots of a book, in the order in which they were opened. */
export function lotsOf({ longs, shorts }: Book): Lot[] {
  return [...longs, ...shorts].sort((a, b) => a.n - b.n);
}

/** Opens a lot in a book. */
export function openLot(
  books: Books,
  instrument: string,
  builder: string | null,
  opened: Pick<Lot, 'openedBy' | 'openedAt' | 'qty' | 'price'>,
): Lot {
  const { openedBy, openedAt, qty, price } = opened;
  const newest = newestLotOf(books, instrument);
  const lot = { openedBy, openedAt, n: newest === null ? 0 : newest.lot.n + 1, qty, price };
  const holding = holdingOf(books, instrument);
  sideOf(bookOf(holding, builder), qty).push(lot);
  movePosition(holding, qty);
  return lot;
}

/** Closes up to `qty` (not negative) of the lots of a sign in all books of an instrument, oldest first. */
export function closeOldest(books: Books, instrument: string, isLong: boolean, qty: bigint): ClosedPart[] {
  const holding = books.holdings.get(instrument);
  if (!holding) return [];
  const closed: ClosedPart[] = [];
  for (let left = qty; left > 0n; ) {
    const oldest = findOldest(holding.books, isLong);
    if (!oldest) break;
    const part = closePart(holding, isLong ? oldest.longs : oldest.shorts, 0, left);
    closed.push({ builder: oldest.builder, part });
    left -= magnitude(part.qty);
  }
  dropEmpty(books, instrument, holding);
  return closed;
}

/** The same in the book of a builder alone. */
export function closeOldestOf(
  books: Books,
  instrument: string,
  builder: string | null,
  isLong: boolean,
  qty: bigint,
): readonly Lot[] {
  const holding = books.holdings.get(instrument);
  const book = holding?.books.find((candidate) => candidate.builder === builder);
  if (!holding || !book) return [];
  const lots = isLong ? book.longs : book.shorts;
  const closed: Lot[] = [];
  for (let left = qty; left > 0n && lots.length > 0; ) {
    const part = closePart(holding, lots, 0, left);
    closed.push(part);
    left -= magnitude(part.qty);
  }
  dropEmpty(books, instrument, holding);
  // Effects are retained, and a copy has no room for further parts.
  return closed.slice();
}

/** The newest lot of an instrument, with its book. */
export interface NewestLot {
  readonly book: Book;
  readonly lot: Lot;
}

export function newestLotOf(books: Books, instrument: string): NewestLot | null {
  let newest: NewestLot | null = null;
  for (const book of booksOf(books, instrument))
    for (const lot of [book.longs.at(-1), book.shorts.at(-1)])
      if (lot && (!newest || lot.n > newest.lot.n)) newest = { book, lot };
  return newest;
}

/** Closes up to `qty` (not negative) of a newest lot. Returns the part that was closed. */
export function closeNewest(books: Books, instrument: string, { book, lot }: NewestLot, qty: bigint): Lot {
  const holding = books.holdings.get(instrument)!;
  const lots = sideOf(book, lot.qty);
  const part = closePart(holding, lots, lots.length - 1, qty);
  dropEmpty(books, instrument, holding);
  return part;
}

/** Adds a quantity of the same sign to a lot. */
export function enlargeLot(books: Books, instrument: string, { book, lot }: NewestLot, qty: Decimal): void {
  const holding = books.holdings.get(instrument)!;
  growLot(sideOf(book, qty), lot.n, qty);
  movePosition(holding, qty);
}

/** Reverses an effect. Those of an instrument are reversed in the opposite order of that in which they came about. */
export function undoEffect(books: Books, { instrument, builder, closes, opens, grows, qty }: Effect): void {
  const holding = holdingOf(books, instrument);
  const book = bookOf(holding, builder);
  if (opens) sideOf(book, opens.qty).pop();
  if (grows) growLot(sideOf(book, grows.qty), grows.n, -grows.qty);
  for (let at = closes.length - 1; at >= 0; at -= 1) restorePart(sideOf(book, closes[at]!.qty), closes[at]!);
  movePosition(holding, -qty);
  dropEmpty(books, instrument, holding);
}

function findOldest(books: readonly Book[], isLong: boolean): Book | null {
  let oldest: Book | null = null;
  let lowest = Number.POSITIVE_INFINITY;
  for (const book of books) {
    const lot = isLong ? book.longs[0] : book.shorts[0];
    if (!lot || lot.n > lowest) continue;
    oldest = book;
    lowest = lot.n;
  }
  return oldest;
}

function sideOf(book: Book, qty: bigint): Lot[] {
  return qty > 0n ? book.longs : book.shorts;
}

function closePart(holding: Holding, lots: Lot[], at: number, qty: bigint): Lot {
  const part = removePart(lots, at, qty);
  movePosition(holding, -part.qty);
  return part;
}

function holdingOf({ holdings }: Books, instrument: string): Holding {
  let holding = holdings.get(instrument);
  if (!holding) {
    holding = { position: ZERO, books: [] };
    holdings.set(instrument, holding);
  }
  return holding;
}

function bookOf({ books }: Holding, builder: string | null): Book {
  let book = books.find((candidate) => candidate.builder === builder);
  if (!book) {
    book = { builder, longs: [], shorts: [], isPublished: false };
    const after = books.findIndex((other) => isBefore(builder, other.builder));
    books.splice(after === -1 ? books.length : after, 0, book);
  }
  return book;
}

/** The book without a builder comes first, so that the order of books does not depend on their history. */
function isBefore(a: string | null, b: string | null): boolean {
  return b !== null && (a === null || a < b);
}

function movePosition(holding: Holding, qty: bigint): void {
  holding.position = (holding.position + qty) as Decimal;
}

function dropEmpty({ holdings }: Books, instrument: string, { books }: Holding): void {
  for (let at = books.length - 1; at >= 0; at -= 1) if (isEmpty(books[at]!)) books.splice(at, 1);
  if (books.length === 0) holdings.delete(instrument);
}

function isEmpty({ longs, shorts }: Book): boolean {
  return longs.length === 0 && shorts.length === 0;
}

export function magnitude(qty: bigint): bigint {
  return qty < 0n ? -qty : qty;
}
