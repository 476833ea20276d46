/** What is held in memory to answer from. Each view is a stage without outputs: pure, and rebuilt from its topics. */
import { type BooksView, booksView } from './books.ts';
import { type CoinsView, coinsView } from './coins.ts';
import { type EventsView, eventsView } from './events.ts';
import type { Freshness } from './freshness.ts';

export interface Views {
  readonly events: EventsView;
  readonly coins: CoinsView;
  readonly books: BooksView;
  readonly freshness: Freshness;
}

/** The stages that keep them. */
export const VIEWS = { events: eventsView, coins: coinsView, books: booksView };
