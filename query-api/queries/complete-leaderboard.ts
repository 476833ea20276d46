/** Finds the newest leaderboard of which the table has every row. */
import { LEADERBOARD_WINDOWS, type Leaderboard, type LeaderboardWindow } from '#schemas/topics/leaderboard';
import type { LeaderboardsView } from '../views/leaderboards.ts';
import { type Query, query, type Reader } from './query.ts';

/** The figures by which traders are ranked. */
export const LEADERBOARD_FIGURES = ['pnl', 'roi', 'vlm'] as const;
export type LeaderboardFigure = (typeof LEADERBOARD_FIGURES)[number];

/** The column of a figure in a window. */
export type FigureColumn = `${LeaderboardWindow}${Capitalize<LeaderboardFigure>}`;

/** A table that receives a board is not counted more often than this: counting competes with its inserts. */
const RECOUNT_MS = 250;

export function figureColumn(window: LeaderboardWindow, figure: LeaderboardFigure): FigureColumn {
  return `${window}${({ pnl: 'Pnl', roi: 'Roi', vlm: 'Vlm' } as const)[figure]}`;
}

/** What the table holds of a board. */
export interface BoardCounts {
  readonly total: number;
  /** Rows that have a figure. */
  readonly ranked: Readonly<Record<FigureColumn, number>>;
}

/** A board of which the table has every row. */
export interface CompleteBoard {
  readonly board: Leaderboard;
  readonly counts: BoardCounts;
}

/** A count of the rows of a board, and when it was begun (monotonic ms). */
interface Counting {
  readonly at: number;
  /** Null if the table lacks rows of the board. */
  readonly counts: Promise<BoardCounts | null>;
  hasEnded: boolean;
}

/** By the board's record: a view holds the same one as long as it knows the board. */
const countings = new WeakMap<Leaderboard, Counting>();
/** A board never changes, so a complete one is counted once. */
const complete = new WeakMap<Leaderboard, BoardCounts>();

/**
 * Returns the newest board that is known to be complete; null if there is none. No request waits for the count of a
 * newer board, which is on its way into the table: it counts beside the requests, and is recognised up to 250 ms late.
 * Only while no board is known to be complete, as after a start, requests wait for counts.
 */
export async function findCompleteBoard(store: Reader, boards: LeaderboardsView): Promise<CompleteBoard | null> {
  const newestFirst = [...boards.values()].sort((a, b) => b.capturedAt - a.capturedAt);
  const known = newestFirst.find((board) => complete.has(board));
  for (const board of newestFirst) {
    if (board === known) return { board, counts: complete.get(board)! };
    const counting = countBoard(store, board);
    // If the count fails, it was measured and logged as a query, and a later request counts again.
    if (known) counting.catch(() => {});
    else {
      const counts = await counting;
      if (counts) return { board, counts };
    }
  }
  return null;
}

/** Counts a board, unless it is being counted or was less than 250 ms ago. */
function countBoard(store: Reader, board: Leaderboard): Promise<BoardCounts | null> {
  const last = countings.get(board);
  if (last && !(last.hasEnded && performance.now() - last.at >= RECOUNT_MS)) return last.counts;
  const begun: Counting = { at: performance.now(), counts: completeCounts(store, board), hasEnded: false };
  countings.set(board, begun);
  begun.counts.then(
    (counts) => {
      begun.hasEnded = true;
      if (counts) complete.set(board, counts);
    },
    () => countings.delete(board),
  );
  return begun.counts;
}

async function completeCounts(store: Reader, board: Leaderboard): Promise<BoardCounts | null> {
  // A row that was inserted twice counts twice here. It costs a tenth of the exact count, which follows once.
  if ((await query(store, storedRowsOf(board))) < board.rows) return null;
  const counts = await query(store, countsOf(board));
  return counts.total === board.rows ? counts : null;
}

function storedRowsOf({ capturedAt }: Leaderboard): Query<number> {
  return {
    name: 'leaderboard-rows',
    sql: 'SELECT toFloat64(count()) AS total FROM leaderboard WHERE capturedAt = fromUnixTimestamp64Milli({board:Int64})',
    parameters: { board: capturedAt },
    parse: ([row]: { total: number }[]) => row!.total,
  };
}

function countsOf({ capturedAt }: Leaderboard): Query<BoardCounts> {
  const columns = LEADERBOARD_WINDOWS.flatMap((window) =>
    LEADERBOARD_FIGURES.map((figure) => figureColumn(window, figure)),
  );
  return {
    name: 'leaderboard-counts',
    sql: `SELECT toFloat64(count()) AS total, ${columns.map((name) => `toFloat64(count(l.${name})) AS ${name}_ranked`).join(', ')}
     FROM leaderboard AS l FINAL WHERE capturedAt = fromUnixTimestamp64Milli({board:Int64})`,
    parameters: { board: capturedAt },
    parse: ([row]: Record<string, number>[]) => ({
      total: row!.total!,
      ranked: Object.fromEntries(columns.map((name) => [name, row![`${name}_ranked`]!])) as BoardCounts['ranked'],
    }),
  };
}
