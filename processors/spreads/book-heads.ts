/**
 * Emits the heads of books: for each book that changes a complete one in every minute. Each has its own tick of the
 * minute, so that the heads of many books are not written at once.
 */
import type { Emit } from '#infra/stages/stage';
import type { Level } from '#schemas/domain/book';
import { formatDecimal } from '#schemas/domain/decimal';
import { BOOK_HEAD_DELAY_MS, bookHeadTopic } from '#schemas/topics/book-heads';
import type { BookLevel } from '#schemas/topics/normalised';
import { partitionOf } from '#schemas/topics/topic';
import type { SpreadsState } from './state.ts';

const TICK_MS = 5_000;
const TICKS = BOOK_HEAD_DELAY_MS / TICK_MS;

/** The time of the record that is processed, unix ms, and where its outputs go. */
export interface Occasion {
  readonly receivedAt: number;
  readonly emit: Emit;
}

/** Notes that a book changed, so that its head becomes due. */
export function noteChangedBook(state: SpreadsState, name: string, receivedAt: number): void {
  if (!state.changedBooks.has(name)) state.changedBooks.set(name, nextDue(name, receivedAt));
}

/** Emits the heads that are due. */
export function emitDueHeads(state: SpreadsState, { receivedAt, emit }: Occasion): void {
  const tick = receivedAt - (receivedAt % TICK_MS);
  if (tick <= state.headsEmittedAt) return;
  state.headsEmittedAt = tick;
  for (const [name, dueAt] of state.changedBooks) {
    if (dueAt > receivedAt) continue;
    state.changedBooks.delete(name);
    const { book, bookAt, ts } = state.instruments.get(name)!;
    const [bids, asks] = [levelTexts(book.bids), levelTexts(book.asks)];
    emit(bookHeadTopic, name, { instrument: name, bookAt: bookAt!, ts: ts!, bids, asks });
  }
}

/** Removes the head of a book that ended, and emits those that are due first (`BOOK_HEAD_DELAY_MS`). */
export function removeBookHead(state: SpreadsState, name: string, occasion: Occasion): void {
  state.changedBooks.delete(name);
  emitDueHeads(state, occasion);
  occasion.emit.remove(bookHeadTopic, name);
}

/** The first tick of the book after a time. */
function nextDue(name: string, receivedAt: number): number {
  const inMinute = receivedAt - (receivedAt % BOOK_HEAD_DELAY_MS) + partitionOf(name, TICKS) * TICK_MS;
  return inMinute > receivedAt ? inMinute : inMinute + BOOK_HEAD_DELAY_MS;
}

function levelTexts(levels: readonly Level[]): BookLevel[] {
  return levels.map(({ price, size }) => ({ price: formatDecimal(price), size: formatDecimal(size) }));
}
