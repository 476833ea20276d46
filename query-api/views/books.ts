/** View of venue_a's order books. It is a separate stage because it has by far the most updates. */
import { on, type Stage, type StageEvent } from '#infra/stages/stage';
import { applyBookUpdate, type Book, createBook } from '#schemas/domain/book';
import { type BookUpdate, bookTopics } from '#schemas/topics/normalised';

/**
 * The newest update by instrument; every update of venue_a is a complete book. It is decoded when a request reads the
 * book, because most updates are replaced before anyone reads them.
 */
export type BooksView = Map<string, Pick<StageEvent<BookUpdate>, 'value'>>;

export const booksView: Stage<BooksView> = {
  name: 'view.books',
  inputs: [on(bookTopics.venue_a, (view: BooksView, event) => void view.set(event.key, event))],
  outputs: [],
  initialState: () => new Map(),
};

/** The newest book of an instrument with the venue's time, unix ms; null if none was received. */
export function bookOf(view: BooksView, instrument: string): { readonly book: Book; readonly ts: number } | null {
  const update = view.get(instrument)?.value;
  // An update without a snapshot is not a complete book.
  if (!update?.snapshot) return null;
  const book = createBook();
  applyBookUpdate(book, update);
  return { book, ts: update.ts };
}
