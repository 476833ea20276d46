/** View of venue_a's order books. It is a separate stage because it has by far the most updates. */
import { on, type Stage } from '#infra/stages/stage';
import { applyBookUpdate, type Book, createBook } from '#schemas/domain/book';
import { bookTopics } from '#schemas/topics/normalised';

export interface TimedBook {
  readonly book: Book;
  /** The venue's time of the newest update, unix ms. */
  ts: number;
}

/** Books by instrument. A book is held only after its first snapshot; updates alone do not make a complete book. */
export type BooksView = Map<string, TimedBook>;

export const booksView: Stage<BooksView> = {
  name: 'view.books',
  inputs: [
    on(bookTopics.venue_a, (view: BooksView, { value: update }) => {
      const existing = view.get(update.instrument);
      if (!existing && !update.snapshot) return;
      const target = existing ?? { book: createBook(), ts: update.ts };
      applyBookUpdate(target.book, update);
      target.ts = update.ts;
      if (!existing) view.set(update.instrument, target);
    }),
  ],
  outputs: [],
  initialState: () => new Map(),
};
