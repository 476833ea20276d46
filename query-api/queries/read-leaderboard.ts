import { leaderboardTable } from '#schemas/tables/leaderboard';
import type { Leaderboard, LeaderboardRow, LeaderboardWindow } from '#schemas/topics/leaderboard';
import type { LeaderboardsView } from '../views/leaderboards.ts';
import {
  type BoardCounts,
  figureColumn,
  findCompleteBoard,
  LEADERBOARD_FIGURES,
  type LeaderboardFigure,
} from './complete-leaderboard.ts';
import { type Query, query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

/** What a board is ranked by. */
export interface Ranking {
  readonly window: LeaderboardWindow;
  readonly sortBy: LeaderboardFigure;
}

export interface LeaderboardPage extends Ranking {
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

type Column = keyof LeaderboardRow;

/**
 * Reads a page of the newest board whose rows are all in the table. Null if there is none.
 *
 * Ranks follow from positions: rows without the figure come after all others in either order, so the position of a row
 * among those with the figure, and among those without it, gives its rank.
 */
export async function readLeaderboardPage(
  store: Reader,
  boards: LeaderboardsView,
  page: LeaderboardPage,
): Promise<{ readonly board: Leaderboard; readonly rows: readonly RankedRow[] } | null> {
  const found = await findCompleteBoard(store, boards);
  if (!found) return null;
  const { board, counts } = found;
  const stored = await query(store, pageOf(board, page, 'stored'));
  // After a crash the sink inserts rows a second time, and one that is stored twice would be on the page twice.
  const isExact = stored.every((row) => row.stored === board.rows);
  const rows = isExact ? stored : await query(store, pageOf(board, page, 'merged'));
  return { board, rows: rows.map((row, at) => ranked(row, page, rankAt(page.offset + at, page, counts))) };
}

/** Reads the row of one trader on that board; `row` is null if the trader is not on it. */
export async function readLeaderboardTrader(
  store: Reader,
  boards: LeaderboardsView,
  ranking: Ranking,
  address: string,
): Promise<{ readonly board: Leaderboard; readonly row: RankedRow | null } | null> {
  const found = await findCompleteBoard(store, boards);
  if (!found) return null;
  const { board } = found;
  const row = await query(store, rowOf(board, ranking, address));
  if (!row) return { board, row: null };
  const before = await query(store, rowsBefore(board, ranking, row));
  return { board, row: ranked(row, ranking, before + 1) };
}

/** The columns of a row that a ranking shows. */
function columnsOf(ranking: Ranking) {
  const figures = LEADERBOARD_FIGURES.map((figure): Column => figureColumn(ranking.window, figure));
  return selectColumns(leaderboardTable, 'l', ['address', 'displayName', 'accountValue', ...figures]);
}

type SelectedRow = RowOf<ReturnType<typeof columnsOf>>;

const OF_BOARD = 'capturedAt = fromUnixTimestamp64Milli({board:Int64})';

/**
 * Rows of the board in the table; a row that is stored twice counts twice. Within a statement the engine reads one
 * snapshot of the table, so these are the rows that the page is read from.
 */
const STORED = `toFloat64((SELECT count() FROM leaderboard WHERE ${OF_BOARD}))`;

/**
 * Reads a page. A second thread costs more than it saves for so few rows, most of all while a board is inserted.
 * @param rows as they are `stored`, or `merged`, so that each trader is once among them: for a board in many parts of
 * the table this costs a third more.
 */
function pageOf(
  { capturedAt }: Leaderboard,
  page: LeaderboardPage,
  rows: 'stored' | 'merged',
): Query<(SelectedRow & { readonly stored: number })[]> {
  const direction = page.order === 'desc' ? ['DESC', 'ASC'] : ['ASC', 'DESC'];
  return {
    name: 'leaderboard-page',
    sql: `SELECT ${columnsOf(page)}, ${STORED} AS stored FROM leaderboard AS l ${rows === 'merged' ? 'FINAL' : ''} WHERE ${OF_BOARD}
     ORDER BY l.${figureColumn(page.window, page.sortBy)} ${direction[0]} NULLS LAST, l.address ${direction[1]}
     LIMIT {limit:UInt64} OFFSET {offset:UInt64} SETTINGS max_threads = 1`,
    parameters: { board: capturedAt, limit: page.limit, offset: page.offset },
    parse: (found: (SelectedRow & { readonly stored: number })[]) => found,
  };
}

function rowOf({ capturedAt }: Leaderboard, ranking: Ranking, address: string): Query<SelectedRow | null> {
  return {
    name: 'leaderboard-trader',
    sql: `SELECT ${columnsOf(ranking)} FROM leaderboard AS l FINAL WHERE ${OF_BOARD} AND l.address = {address:String}`,
    parameters: { board: capturedAt, address },
    parse: ([row]: SelectedRow[]) => row ?? null,
  };
}

/** Counts the rows before a row in descending order. */
function rowsBefore({ capturedAt }: Leaderboard, ranking: Ranking, row: SelectedRow): Query<number> {
  const column = figureColumn(ranking.window, ranking.sortBy);
  const figure = row[column];
  const isBefore =
    figure === null
      ? `l.${column} IS NOT NULL OR l.address < {address:String}`
      : `l.${column} > {figure:Decimal(38, 18)}
         OR l.${column} = {figure:Decimal(38, 18)} AND l.address < {address:String}`;
  return {
    name: 'leaderboard-rank',
    sql: `SELECT toFloat64(count()) AS before FROM leaderboard AS l FINAL WHERE ${OF_BOARD} AND (${isBefore})`,
    parameters: { board: capturedAt, address: row.address, ...(figure === null ? {} : { figure }) },
    parse: ([counted]: { before: number }[]) => counted!.before,
  };
}

/** The rank of the row at a position of the listing, from 0. */
function rankAt(position: number, { window, sortBy, order }: LeaderboardPage, { total, ranked }: BoardCounts): number {
  if (order === 'desc') return position + 1;
  const withFigure = ranked[figureColumn(window, sortBy)];
  return position < withFigure ? withFigure - position : total - (position - withFigure);
}

function ranked(row: SelectedRow, ranking: Ranking, rank: number): RankedRow {
  const { address, displayName, accountValue } = row;
  const [pnl, roi, vlm] = LEADERBOARD_FIGURES.map((figure) => row[figureColumn(ranking.window, figure)]);
  return { rank, address, displayName, accountValue, pnl: pnl!, roi: roi!, vlm: vlm! };
}
