import type { Leaderboard, LeaderboardWindow } from '#schemas/topics/leaderboard';
import type { LeaderboardsView } from '../views/leaderboards.ts';
import {
  type BoardRow,
  figureColumn,
  LEADERBOARD_FIGURES,
  type LeaderboardFigure,
  type Ranking,
} from './board-copy.ts';
import { findCompleteBoard } from './complete-leaderboard.ts';
import type { Reader } from './query.ts';

/** What a board is ranked by. */
export interface RankedBy {
  readonly window: LeaderboardWindow;
  readonly sortBy: LeaderboardFigure;
}

export interface LeaderboardPage extends RankedBy {
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** A row with its place in the ranking; decimals as exact text. */
export interface RankedRow {
  readonly rank: number;
  readonly address: string;
  readonly displayName: string | null;
  readonly accountValue: string | null;
  readonly pnl: string | null;
  readonly roi: string | null;
  readonly vlm: string | null;
}

/** Reads a page of the newest board whose rows are all in the table. Null if there is none. */
export async function readLeaderboardPage(
  store: Reader,
  boards: LeaderboardsView,
  page: LeaderboardPage,
): Promise<{ readonly board: Leaderboard; readonly rows: readonly RankedRow[] } | null> {
  const found = await findCompleteBoard(store, boards);
  if (!found) return null;
  const { board, copy } = found;
  const ranking = await copy.ranking(store, figureColumn(page.window, page.sortBy));
  const count = Math.max(0, Math.min(page.limit, board.rows - page.offset));
  const rows = Array.from({ length: count }, (_, nth) => {
    const position = positionAt(page.offset + nth, page.order, ranking);
    return rankedRow(copy.row(ranking.places[position]!), page, position);
  });
  return { board, rows };
}

/** Reads the row of one trader on that board; `row` is null if the trader is not on it. */
export async function readLeaderboardTrader(
  store: Reader,
  boards: LeaderboardsView,
  rankedBy: RankedBy,
  address: string,
): Promise<{ readonly board: Leaderboard; readonly row: RankedRow | null } | null> {
  const found = await findCompleteBoard(store, boards);
  if (!found) return null;
  const { board, copy } = found;
  const place = copy.placeOf(address);
  if (place === undefined) return { board, row: null };
  const { places } = await copy.ranking(store, figureColumn(rankedBy.window, rankedBy.sortBy));
  return { board, row: rankedRow(copy.row(place), rankedBy, places.indexOf(place)) };
}

/**
 * The position in a ranking of the row at a position of the listing, both from 0. Rows without the figure come last in
 * either order.
 */
function positionAt(listed: number, order: LeaderboardPage['order'], { places, known }: Ranking): number {
  if (order === 'desc') return listed;
  return listed < known ? known - 1 - listed : places.length - 1 - (listed - known);
}

function rankedRow(row: BoardRow, { window }: RankedBy, position: number): RankedRow {
  const { address, displayName, accountValue } = row;
  const [pnl, roi, vlm] = LEADERBOARD_FIGURES.map((figure) => row[figureColumn(window, figure)]);
  return { rank: position + 1, address, displayName, accountValue, pnl: pnl!, roi: roi!, vlm: vlm! };
}
