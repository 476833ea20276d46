/** The books of venue_b tokens, maintained here to detect those that missed a change. */
import type { Emit } from '#infra/stages/stage';
import { applyBookUpdate, applyLevels, type Book, bestAsk, bestBid, createBook } from '#schemas/domain/book';
import { formatDecimal } from '#schemas/domain/decimal';
import { type BookLevel, bookTopics } from '#schemas/topics/normalised';
import { dropOldest } from '../../../shared/drop-oldest.ts';
import type { BookDelta, BookEvent, Levels } from './messages.ts';

/** Most books in memory; beyond it the one with the oldest snapshot is evicted, and awaits its next snapshot. */
export const BOOKS_MAX = 10_000;
/**
 * Consecutive frames whose best prices may differ from those of the book. In a burst of crossing orders the venue's
 * best prices and its levels disagree for a frame or two; a lasting difference means that a frame was lost.
 */
export const MISMATCHES_MAX = 5;

export interface TokenBook {
  readonly book: Book;
  /** The connection whose frames the book is built from. */
  feed: string;
  /** The venue's time of the newest update that was emitted, unix ms. */
  ts: number;
  /** True if no change was missed since the snapshot. While false, changes are ignored and only snapshots emitted. */
  complete: boolean;
  /** Consecutive frames whose best prices differed from those of the book. */
  mismatches: number;
}

/** Origin of a frame. */
export interface FrameSource {
  readonly feed: string;
  readonly marketId: string | null;
  /** The venue's time, unix ms. */
  readonly ts: number;
  readonly receivedAt: number;
}

type Books = Map<string, TokenBook>;

/** Stores and emits a complete book from a socket. Returns the token whose book was evicted for it, or null. */
export function applySnapshot(books: Books, event: BookEvent, source: FrameSource, emit: Emit): string | null {
  const book = createBook();
  applyLevels(book, { snapshot: true, bids: event.bids.levels, asks: event.asks.levels });
  const bids = levelTexts(event.bids, book.bids);
  const asks = levelTexts(event.asks, book.asks);
  books.delete(event.token);
  books.set(event.token, { book, feed: source.feed, ts: source.ts, complete: true, mismatches: 0 });
  emitBook(event.token, source, true, bids, asks, emit);
  return evictOldestBook(books);
}

/**
 * Stores and emits a book from a REST answer. It is ignored where a socket keeps the book complete, which is newer or
 * as new, and where a newer update was emitted. It does not make the book complete: changes may have come before the
 * answer that it does not contain, and after it on a socket that is not subscribed yet.
 */
export function applyAnswer(books: Books, event: BookEvent, source: FrameSource, emit: Emit): string | null {
  const known = books.get(event.token);
  if (known && (known.complete || known.ts >= source.ts)) return null;
  const evicted = applySnapshot(books, event, source, emit);
  books.get(event.token)!.complete = false;
  return evicted;
}

/**
 * Applies and emits the changes of one book. Returns false if the book awaits a snapshot: there is no complete book to
 * change, or its best prices differed from the venue's for too long.
 */
export function applyDelta(books: Books, delta: BookDelta, source: FrameSource, emit: Emit): boolean {
  const known = books.get(delta.token);
  if (!known?.complete) return false;
  // Another connection carries the token too. The order of frames across connections is unknown, so only one is used.
  if (known.feed !== source.feed) return true;
  applyBookUpdate(known.book, { snapshot: false, bids: delta.bids, asks: delta.asks });
  known.ts = source.ts;
  emitBook(delta.token, source, false, delta.bids, delta.asks, emit);
  known.mismatches = agrees(known.book, delta) ? 0 : known.mismatches + 1;
  known.complete = known.mismatches < MISMATCHES_MAX;
  return known.complete;
}

/** Applies a new tick size of a token: levels off the new grid are removed, and their removal is emitted. */
export function applyTickSize(books: Books, token: string, tick: bigint, source: FrameSource, emit: Emit): void {
  const known = books.get(token);
  if (!known?.complete || known.feed !== source.feed) return;
  const offGrid = (levels: Book['bids']): BookLevel[] =>
    levels
      .filter((level) => level.price % tick !== 0n)
      .map(({ price }) => ({ price: formatDecimal(price), size: '0' }));
  const bids = offGrid(known.book.bids);
  const asks = offGrid(known.book.asks);
  if (bids.length + asks.length === 0) return;
  applyBookUpdate(known.book, { snapshot: false, bids, asks });
  known.ts = source.ts;
  emitBook(token, source, false, bids, asks, emit);
}

/**
 * Marks the book of a token as incomplete after a frame of the connection could not be read. Returns false where the
 * book is built from another connection's frames.
 */
export function invalidateBook(books: Books, token: string, feed: string): boolean {
  const known = books.get(token);
  if (!known) return true;
  if (known.feed !== feed) return false;
  known.complete = false;
  return true;
}

/** Marks the books of a connection as incomplete after it was lost or re-established: they may have missed changes. */
export function invalidateFeed(books: Books, feed: string): void {
  for (const book of books.values()) if (book.feed === feed) book.complete = false;
}

function agrees(book: Book, { bestBid: bid, bestAsk: ask }: BookDelta): boolean {
  if (bid !== undefined && bid !== (bestBid(book)?.price ?? null)) return false;
  return ask === undefined || ask === (bestAsk(book)?.price ?? null);
}

/** Returns the venue's own texts if the book has the same levels in the same order, else the texts of the book. */
function levelTexts({ texts, levels }: Levels, side: Book['bids']): BookLevel[] {
  const same = levels.length === side.length && levels.every((level, at) => level === side[at]);
  if (same) return texts;
  return side.map(({ price, size }) => ({ price: formatDecimal(price), size: formatDecimal(size) }));
}

function emitBook(
  token: string,
  { feed, marketId, ts, receivedAt }: FrameSource,
  snapshot: boolean,
  bids: BookLevel[],
  asks: BookLevel[],
  emit: Emit,
): void {
  emit(bookTopics.venue_b, token, {
    provider: 'venue_b',
    instrument: token,
    marketId,
    feed,
    ts,
    receivedAt,
    snapshot,
    bids,
    asks,
  });
}

function evictOldestBook(books: Books): string | null {
  let evicted: string | null = null;
  const drop = (oldest: string) => {
    books.delete(oldest);
    evicted = oldest;
  };
  // Evicts only as many as necessary: until its next snapshot, the status of an evicted token shows that its book is
  // missing.
  dropOldest(books, BOOKS_MAX, { drop, batchSize: 1 });
  return evicted;
}
