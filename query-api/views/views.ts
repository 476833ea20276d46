/** State in memory for REST. Each view is a pure stage without outputs that is rebuilt from its topics at start. */

import { type AccountSeriesView, accountSeriesView } from './account-series.ts';
import { type AccountValuesView, accountValuesView } from './account-values.ts';
import { type BooksView, booksView } from './books.ts';
import { type CoinsView, coinsView } from './coins.ts';
import { type EventsView, eventsView } from './events.ts';
import type { Freshness } from './freshness.ts';
import { type LeaderboardsView, leaderboardsView } from './leaderboards.ts';
import { type LedgersView, ledgersView } from './ledgers.ts';
import { type NodeFillCoverageView, nodeFillCoverageView } from './node-fill-coverage.ts';
import { type QuestionBooksView, questionBooksView } from './question-books.ts';
import type { SeriesAttemptsView } from './series-attempts.ts';
import { type SnapshotHeadsView, snapshotHeadsView } from './snapshot-heads.ts';

export interface Views {
  readonly events: EventsView;
  readonly coins: CoinsView;
  readonly books: BooksView;
  readonly questionBooks: QuestionBooksView;
  readonly leaderboards: LeaderboardsView;
  readonly nodeFillCoverage: NodeFillCoverageView;
  readonly ledgers: LedgersView;
  readonly accountValues: AccountValuesView;
  readonly accountSeries: AccountSeriesView;
  readonly seriesAttempts: SeriesAttemptsView;
  readonly snapshotHeads: SnapshotHeadsView;
  readonly freshness: Freshness;
}

/**
 * The stages of the views. `seriesAttempts` is none: its topic is written without watermarks. `createBookTimesView`,
 * `createPositionView` and `followedBlocksView` are not among them: only `freshness` reads them, and fixed data such as that
 * of the sandbox has none.
 */
export const VIEWS = {
  events: eventsView,
  coins: coinsView,
  books: booksView,
  questionBooks: questionBooksView,
  leaderboards: leaderboardsView,
  nodeFillCoverage: nodeFillCoverageView,
  ledgers: ledgersView,
  accountValues: accountValuesView,
  accountSeries: accountSeriesView,
  snapshotHeads: snapshotHeadsView,
};
