/** View of venue_a's order books. A stage of its own: it changes by far the most often. */
import { on, type Stage } from '#infra/stages/stage';
import { applyBookUpdate, type Book, createBook } from '#schemas/domain/book';
import { bookTopics } from '#schemas/topics/normalised';

export interface HeldBook {
  readonly book: Book;
  /** The venue's time of the newest update, unix ms. */
  ts: number;
}

/** By instrument; only books of which a snapshot was received, since changes alone are no book. */
export type BooksView = Map<string, HeldBook>;

export const booksView: Stage<BooksView> = {
  name: 'view.books',
  inputs: [
    on(bookTopics.venue_a, (view: BooksView, { value: update }) => {
      const held = view.get(update.instrument);
      if (!held && !update.snapshot) return;
      const target = held ?? { book: createBook(), ts: update.ts };
      applyBookUpdate(target.book, update);
      target.ts = update.ts;
      if (!held) view.set(update.instrument, target);
    }),
  ],
  outputs: [],
  initialState: () => new Map(),
};
