/** Finds the newest leaderboard of which the table has every row. */
import type { Leaderboard } from '#schemas/topics/leaderboard';
import type { LeaderboardsView } from '../views/leaderboards.ts';
import { type BoardCopy, copyBoard, OF_BOARD } from './board-copy.ts';
import { query, type Reader } from './query.ts';

/** A table that receives a board is not counted more often than this: counting competes with its inserts. */
const RECOUNT_MS = 250;

/** A board of which the table has every row, and a copy of it. */
export interface CompleteBoard {
  readonly board: Leaderboard;
  readonly copy: BoardCopy;
}

/** A count of the rows of a board, which is copied if it is complete, and when it was begun (monotonic ms). */
interface Loading {
  readonly at: number;
  /** False if the table lacks rows of the board. */
  readonly isComplete: Promise<boolean>;
  hasEnded: boolean;
}

/** By the board's record: a view holds the same one as long as it knows the board. */
const loadings = new WeakMap<Leaderboard, Loading>();
/** The newest board of each view that is known to be complete. A board never changes, so it is copied once. */
const newest = new WeakMap<LeaderboardsView, CompleteBoard>();

/**
 * Returns the newest board that is known to be complete; null if there is none. No request waits for a newer board, which
 * is on its way into the table: it is counted and copied beside the requests, and recognised up to 250 ms late. Only
 * while no board is known to be complete, as after a start, requests wait.
 */
export async function findCompleteBoard(store: Reader, boards: LeaderboardsView): Promise<CompleteBoard | null> {
  const newestFirst = [...boards.values()].sort((a, b) => b.capturedAt - a.capturedAt);
  const known = newest.get(boards);
  for (const board of newestFirst) {
    if (known && (board === known.board || board.capturedAt < known.board.capturedAt)) break;
    const isComplete = loadBoard(store, boards, board);
    // If a query fails, it was measured and logged, and a later request counts again.
    if (known) isComplete.catch(() => {});
    else if (await isComplete) return newest.get(boards)!;
  }
  return known ?? null;
}

/** Loads a board, unless that is being done or was begun less than 250 ms ago. */
function loadBoard(store: Reader, boards: LeaderboardsView, board: Leaderboard): Promise<boolean> {
  const last = loadings.get(board);
  if (last && !(last.hasEnded && performance.now() - last.at >= RECOUNT_MS)) return last.isComplete;
  const begun: Loading = {
    at: performance.now(),
    isComplete: loadIfComplete(store, boards, board),
    hasEnded: false,
  };
  loadings.set(board, begun);
  begun.isComplete.then(
    () => {
      begun.hasEnded = true;
    },
    () => loadings.delete(board),
  );
  return begun.isComplete;
}

/** Counts a board, and copies a complete one. */
async function loadIfComplete(store: Reader, boards: LeaderboardsView, board: Leaderboard): Promise<boolean> {
  // A row that was inserted twice counts twice here. It costs a tenth of the exact count, which follows once.
  if ((await countRows(store, board, 'stored')) < board.rows) return false;
  if ((await countRows(store, board, 'merged')) !== board.rows) return false;
  const copy = await copyBoard(store, board);
  if (!copy) return false;
  const known = newest.get(boards);
  if (!known || known.board.capturedAt <= board.capturedAt) newest.set(boards, { board, copy });
  return true;
}

/** @param rows as they are `stored`, or `merged`, so that each trader is once among them. */
function countRows(store: Reader, { capturedAt }: Leaderboard, rows: 'stored' | 'merged'): Promise<number> {
  return query(store, {
    name: rows === 'stored' ? 'leaderboard-rows' : 'leaderboard-counts',
    sql: `SELECT toFloat64(count()) AS total FROM leaderboard ${rows === 'merged' ? 'FINAL' : ''} WHERE ${OF_BOARD}`,
    parameters: { board: capturedAt },
    parse: ([row]: { total: number }[]) => row!.total,
  });
}
