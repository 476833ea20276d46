/** Counts the rows of a leaderboard in the table: once when it is complete, seldom while it is on its way there. */
import { LEADERBOARD_WINDOWS, type Leaderboard, type LeaderboardWindow } from '#schemas/topics/leaderboard';
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

/** A count of the rows of a board, and when it was begun (monotonic ms). */
interface Counted {
  readonly at: number;
  /** Null if the table lacks rows of the board. */
  readonly counts: Promise<BoardCounts | null>;
  isComplete: boolean;
}

/** By the board's record: a view holds the same one as long as it knows the board. */
const counted = new WeakMap<Leaderboard, Counted>();

/**
 * What the table holds of a board that is in it completely; null while rows are missing. A board never changes, so a
 * complete one is counted once. One that is on its way into the table is recognised up to 250 ms late.
 */
export function countBoard(store: Reader, board: Leaderboard): Promise<BoardCounts | null> {
  const known = counted.get(board);
  if (known && (known.isComplete || performance.now() - known.at < RECOUNT_MS)) return known.counts;
  const begun: Counted = { at: performance.now(), counts: completeCounts(store, board), isComplete: false };
  counted.set(board, begun);
  begun.counts.then(
    (counts) => {
      begun.isComplete = counts !== null;
    },
    // The caller receives the error; the next request counts again.
    () => counted.delete(board),
  );
  return begun.counts;
}

async function completeCounts(store: Reader, board: Leaderboard): Promise<BoardCounts | null> {
  const counts = await query(store, countsOf(board));
  return counts.total === board.rows ? counts : null;
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
