/**
 * A copy of a complete leaderboard in memory. The rows of a page are anywhere in the table, so that the whole board would
 * be read for each page. A board never changes, and 47,000 rows are some 12 MB.
 */
import {
  LEADERBOARD_WINDOWS,
  type Leaderboard,
  type LeaderboardRow,
  type LeaderboardWindow,
} from '#schemas/topics/leaderboard';
import { type Query, query, type Reader } from './query.ts';

/** The figures by which traders are ranked. */
export const LEADERBOARD_FIGURES = ['pnl', 'roi', 'vlm'] as const;
export type LeaderboardFigure = (typeof LEADERBOARD_FIGURES)[number];

/** The column of a figure in a window. */
export type FigureColumn = `${LeaderboardWindow}${Capitalize<LeaderboardFigure>}`;

export function figureColumn(window: LeaderboardWindow, figure: LeaderboardFigure): FigureColumn {
  return `${window}${({ pnl: 'Pnl', roi: 'Roi', vlm: 'Vlm' } as const)[figure]}`;
}

/** Condition on the rows of the board that is the parameter `board`. */
export const OF_BOARD = 'capturedAt = fromUnixTimestamp64Milli({board:Int64})';

/** Rows that are read at a time: to process them takes a few milliseconds. */
const SLICE_ROWS = 4_000;

const COLUMNS: readonly (keyof BoardRow)[] = [
  'address',
  'displayName',
  'accountValue',
  ...LEADERBOARD_WINDOWS.flatMap((window) => LEADERBOARD_FIGURES.map((figure) => figureColumn(window, figure))),
];

/** A row as the table has it; decimals as exact text. */
export type BoardRow = Omit<LeaderboardRow, 'capturedAt'>;

/** The rows of a board, ranked by a figure: in descending order, ties by address, those without the figure last. */
export interface Ranking {
  /** The place of each row among those of the board. */
  readonly places: Uint32Array;
  /** Number of rows with the figure. */
  readonly known: number;
}

export class BoardCopy {
  private readonly board: Leaderboard;
  /** Each is the JSON of the values of `COLUMNS`: tens of thousands of objects would be several times as large. */
  private readonly rows: readonly string[];
  private readonly rankings = new Map<FigureColumn, Promise<Ranking>>();

  /** @param rows sorted by address. */
  constructor(board: Leaderboard, rows: readonly string[]) {
    this.board = board;
    this.rows = rows;
  }

  /** The row at a place, from 0. */
  row(place: number): BoardRow {
    const values: readonly unknown[] = JSON.parse(this.rows[place]!);
    return Object.fromEntries(COLUMNS.map((column, nth) => [column, values[nth]])) as unknown as BoardRow;
  }

  /** The place of a trader; undefined if it is not on the board. */
  placeOf(address: string): number | undefined {
    const wanted = `["${address}"`;
    let [from, until] = [0, this.rows.length];
    while (from < until) {
      const middle = (from + until) >> 1;
      if (this.rows[middle]! < wanted) from = middle + 1;
      else until = middle;
    }
    return this.rows[from]?.startsWith(wanted) ? from : undefined;
  }

  /** Ranks the board. The store sorts it once for each figure. */
  ranking(store: Reader, column: FigureColumn): Promise<Ranking> {
    const known = this.rankings.get(column);
    if (known) return known;
    const reading = query(store, rankingOf(this.board, column));
    this.rankings.set(column, reading);
    // The caller receives the error, and a later request reads again.
    reading.catch(() => this.rankings.delete(column));
    return reading;
  }
}

/** Copies a board; null if the table lacks rows of it. */
export async function copyBoard(store: Reader, board: Leaderboard): Promise<BoardCopy | null> {
  const rows: string[] = [];
  let after = '';
  while (rows.length < board.rows) {
    const slice = await query(store, sliceOf(board, after));
    if (slice.rows.length === 0) return null;
    rows.push(...slice.rows);
    after = slice.last;
  }
  return new BoardCopy(board, rows);
}

interface Slice {
  readonly rows: readonly string[];
  /** Address of the last row. */
  readonly last: string;
}

/** The rows behind an address as one text, so that they need not be parsed. */
function sliceOf({ capturedAt }: Leaderboard, after: string): Query<Slice> {
  return {
    name: 'leaderboard-slice',
    sql: `SELECT arrayStringConcat(groupArray(row), '\\n') AS packed, max(address) AS last
     FROM (SELECT address, formatRowNoNewline('JSONCompactEachRow', ${COLUMNS.join(', ')}) AS row
       FROM leaderboard FINAL WHERE ${OF_BOARD} AND address > {after:String} ORDER BY address LIMIT ${SLICE_ROWS})
     SETTINGS max_threads = 1`,
    parameters: { board: capturedAt, after },
    // It is one row, also without rows of the board.
    parse: ([found]: { packed: string; last: string }[]) => ({
      rows: found!.packed === '' ? [] : found!.packed.split('\n'),
      last: found!.last,
    }),
  };
}

function rankingOf({ capturedAt }: Leaderboard, column: FigureColumn): Query<Ranking> {
  return {
    name: 'leaderboard-ranking',
    sql: `SELECT groupArray(toUInt32(place - 1)) AS places, toFloat64(count(figure)) AS known
     FROM (SELECT ${column} AS figure, row_number() OVER (ORDER BY address) AS place FROM leaderboard FINAL
       WHERE ${OF_BOARD} ORDER BY figure DESC NULLS LAST, place)
     SETTINGS max_threads = 1`,
    parameters: { board: capturedAt },
    parse: ([found]: { places: number[]; known: number }[]) => ({
      places: Uint32Array.from(found!.places),
      known: found!.known,
    }),
  };
}
