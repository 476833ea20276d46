/** The books of venue_b tokens, folded here to tell whole ones from those that missed something. */
import type { Emit } from '#infra/stages/stage';
import { applyBookUpdate, applyLevels, type Book, bestAsk, bestBid, createBook } from '#schemas/domain/book';
import { formatDecimal } from '#schemas/domain/decimal';
import { type BookLevel, bookTopics } from '#schemas/topics/normalised';
import { dropOldest } from '../../shared/drop-oldest.ts';
import type { BookDelta, BookEvent, Levels } from './messages.ts';

/** Books kept; beyond it the one whose snapshot is oldest goes, and awaits its next snapshot. */
export const BOOKS_MAX = 10_000;
/**
 * Frames in a row whose best prices may differ from the fold's. In a burst of crossing orders the venue's figures and
 * its levels are apart for a frame or two; a difference that stays means that a frame was lost.
 */
export const MISMATCHES_MAX = 5;

export interface TokenBook {
  readonly book: Book;
  /** The connection whose frames it is made of. */
  feed: string;
  /** The venue's time of what was told of it last, unix ms. */
  ts: number;
  /** Nothing was missed since its snapshot. While false, changes are of no use and only a snapshot is told. */
  whole: boolean;
  /** Frames in a row whose best prices differed from those of the fold. */
  mismatches: number;
}

/** Where a frame came from. */
export interface FrameSource {
  readonly feed: string;
  readonly marketId: string | null;
  /** The venue's time, unix ms. */
  readonly ts: number;
  readonly receivedAt: number;
}

type Books = Map<string, TokenBook>;

/** Takes a whole book that came over a socket, and tells it. Returns the token whose book had to go to make room. */
export function takeSnapshot(books: Books, event: BookEvent, source: FrameSource, emit: Emit): string | null {
  const book = createBook();
  applyLevels(book, { snapshot: true, bids: event.bids.levels, asks: event.asks.levels });
  const bids = told(event.bids, book.bids);
  const asks = told(event.asks, book.asks);
  books.delete(event.token);
  books.set(event.token, { book, feed: source.feed, ts: source.ts, whole: true, mismatches: 0 });
  tell(event.token, source, true, bids, asks, emit);
  return makeRoom(books);
}

/**
 * Takes a book from a REST answer. A whole book of a socket is newer or as new, and stays; else the answer is told,
 * unless something newer was told before. It does not make a book whole: changes may have come before the answer that
 * it does not hold, and after it on a socket that is not subscribed yet.
 */
export function takeAnswer(books: Books, event: BookEvent, source: FrameSource, emit: Emit): string | null {
  const known = books.get(event.token);
  if (known && (known.whole || known.ts >= source.ts)) return null;
  const evicted = takeSnapshot(books, event, source, emit);
  books.get(event.token)!.whole = false;
  return evicted;
}

/**
 * Takes what changed in one book, and tells it. False where there is no whole book to change, or where its best prices
 * are not the venue's for too long: it awaits a snapshot then.
 */
export function takeDelta(books: Books, delta: BookDelta, source: FrameSource, emit: Emit): boolean {
  const known = books.get(delta.token);
  if (!known?.whole) return false;
  // Another connection carries the token too; the order of frames across connections is unknown, so one is followed.
  if (known.feed !== source.feed) return true;
  applyBookUpdate(known.book, { snapshot: false, bids: delta.bids, asks: delta.asks });
  known.ts = source.ts;
  tell(delta.token, source, false, delta.bids, delta.asks, emit);
  known.mismatches = agrees(known.book, delta) ? 0 : known.mismatches + 1;
  known.whole = known.mismatches < MISMATCHES_MAX;
  return known.whole;
}

/** The tick size of a token changed: orders off the new grid are gone. Tells their removal, if there are any. */
export function takeTickSize(books: Books, token: string, tick: bigint, source: FrameSource, emit: Emit): void {
  const known = books.get(token);
  if (!known?.whole || known.feed !== source.feed) return;
  const offGrid = (levels: Book['bids']): BookLevel[] =>
    levels
      .filter((level) => level.price % tick !== 0n)
      .map(({ price }) => ({ price: formatDecimal(price), size: '0' }));
  const bids = offGrid(known.book.bids);
  const asks = offGrid(known.book.asks);
  if (bids.length + asks.length === 0) return;
  applyBookUpdate(known.book, { snapshot: false, bids, asks });
  known.ts = source.ts;
  tell(token, source, false, bids, asks, emit);
}

/**
 * Something of the token's book came over the connection and could not be read: the book is whole no longer. False where
 * the book is made of another connection's frames.
 */
export function loseBook(books: Books, token: string, feed: string): boolean {
  const known = books.get(token);
  if (!known) return true;
  if (known.feed !== feed) return false;
  known.whole = false;
  return true;
}

/** The connection was lost or made anew: what its books missed is unknown. */
export function loseFeed(books: Books, feed: string): void {
  for (const book of books.values()) if (book.feed === feed) book.whole = false;
}

function agrees(book: Book, { bestBid: bid, bestAsk: ask }: BookDelta): boolean {
  if (bid !== undefined && bid !== (bestBid(book)?.price ?? null)) return false;
  return ask === undefined || ask === (bestAsk(book)?.price ?? null);
}

/** The venue's own texts where the fold has the same levels in the same order, else the fold's. */
function told({ texts, levels }: Levels, folded: Book['bids']): BookLevel[] {
  const same = levels.length === folded.length && levels.every((level, at) => level === folded[at]);
  if (same) return texts;
  return folded.map(({ price, size }) => ({ price: formatDecimal(price), size: formatDecimal(size) }));
}

function tell(
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

function makeRoom(books: Books): string | null {
  let gone: string | null = null;
  const drop = (oldest: string) => {
    books.delete(oldest);
    gone = oldest;
  };
  // No more than must: whoever looks at the token sees that its book is gone until the next snapshot.
  dropOldest(books, BOOKS_MAX, { drop, atOnce: 1 });
  return gone;
}
