/**
 * View of the newest complete books of questions. It starts from their heads and the updates after these, so after a
 * start each node has the same books, however long ago the last complete one was received.
 */
import { after, on, onKeyed, type Stage, type StageRecord } from '#infra/stages/stage';
import { applyBookUpdate, type Book, createBook } from '#schemas/domain/book';
import { isQuestionInstrument, VENUES } from '#schemas/domain/providers';
import { BOOK_HEAD_DELAY_MS, type BookHead, bookHeadTopic } from '#schemas/topics/book-heads';
import { type BookUpdate, bookTopics } from '#schemas/topics/normalised';

/** Read it only: the book changes with the next update. */
export interface QuestionBook {
  readonly book: Book;
  /** The venue's time of the last update, unix ms. */
  ts: number;
  /** Receive time of the last update, unix ms. */
  bookAt: number;
  /** Event time of the complete book that it is built from. */
  readonly startedAt: number;
  /** True if that was a head, which contains every update up to `startedAt`. */
  readonly fromHead: boolean;
}

export interface QuestionBooksView {
  /**
   * By instrument. A book leaves with its head, when the market ended or the stage that writes heads dropped it, so the
   * view is bounded as that stage is.
   */
  readonly books: Map<string, QuestionBook>;
  /** Event times at which books ended, oldest first: earlier updates may still arrive. Those of the last minutes. */
  readonly ended: Map<string, number>;
}

/** How long after the end of a book earlier updates of it are expected, ms. */
const LATE_UPDATES_MS = 2 * BOOK_HEAD_DELAY_MS;

export const questionBooksView: Stage<QuestionBooksView> = {
  name: 'view.question-books',
  inputs: [
    onKeyed(bookHeadTopic, readHead),
    ...VENUES.map((venue) =>
      after(
        { topic: bookHeadTopic, delayMs: BOOK_HEAD_DELAY_MS },
        on(bookTopics[venue], (view: QuestionBooksView, record) => {
          if (isQuestionInstrument[venue](record.key)) readUpdate(view, record);
        }),
      ),
    ),
  ],
  outputs: [],
  initialState: () => ({ books: new Map(), ended: new Map() }),
};

function readHead(view: QuestionBooksView, { key, value, receivedAt }: StageRecord<BookHead | null>): void {
  forgetEnded(view, receivedAt - LATE_UPDATES_MS);
  const known = view.books.get(key);
  if (value === null) {
    // A book that is built from a later one is of a market that began again.
    if (known && known.startedAt <= receivedAt) view.books.delete(key);
    view.ended.delete(key);
    view.ended.set(key, receivedAt);
    return;
  }
  // An older head is usual: updates arrive before the heads that contain them.
  if (known && known.bookAt > value.bookAt) return;
  const { bookAt, ts, bids, asks } = value;
  view.books.set(key, { book: completeBook({ bids, asks }), ts, bookAt, startedAt: bookAt, fromHead: true });
}

function readUpdate(view: QuestionBooksView, { key, value, receivedAt }: StageRecord<BookUpdate>): void {
  const known = view.books.get(key);
  if (known?.fromHead && receivedAt <= known.startedAt) return;
  if (receivedAt <= (view.ended.get(key) ?? 0)) return;
  const { ts, snapshot } = value;
  if (snapshot) {
    view.books.set(key, { book: completeBook(value), ts, bookAt: receivedAt, startedAt: receivedAt, fromHead: false });
    return;
  }
  // Changes without a complete book are useless.
  if (!known) return;
  applyBookUpdate(known.book, value);
  known.ts = ts;
  known.bookAt = receivedAt;
}

function forgetEnded({ ended }: QuestionBooksView, before: number): void {
  for (const [key, endedAt] of ended) {
    if (endedAt >= before) return;
    ended.delete(key);
  }
}

function completeBook({ bids, asks }: Pick<BookHead, 'bids' | 'asks'>): Book {
  const book = createBook();
  applyBookUpdate(book, { snapshot: true, bids, asks });
  return book;
}
