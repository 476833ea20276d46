import { type Infer, list, record, text, timestamp } from '../avro.ts';
import { bookLevel } from './normalised.ts';
import { defineTopic } from './topic.ts';

const bookHead = record('BookHead', "The complete book of a question's coin or token at one moment.", {
  instrument: text('Coin or token.'),
  bookAt: timestamp('Receive time of the last update that it contains; it contains all updates up to then.'),
  ts: timestamp("The venue's time of that update."),
  bids: list(bookLevel, 'Bids, best first.'),
  asks: list(bookLevel, 'Asks, best first.'),
});
export type BookHead = Infer<typeof bookHead>;

/**
 * The newest complete book of every coin and token of a question, written while it changes and removed when it ends. An
 * update of a book is often only a change, so a reader that starts later needs a complete book to apply the changes to.
 * It has no part of a history, so records are replaced soon.
 */
export const bookHeadTopic = defineTopic({
  name: 'derived.book-heads',
  description: "Complete books of questions' coins and tokens, at most a minute older than their last update.",
  key: 'instrument',
  partitions: 4,
  retention: { kind: 'compacted' },
  schema: bookHead,
});

/**
 * A record of the topic with the event time t follows the heads of all books that were changed up to this long before t.
 * So a reader that knows the heads needs no earlier update.
 */
export const BOOK_HEAD_DELAY_MS = 60_000;
