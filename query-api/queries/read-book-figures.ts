/** Sums of the events of each book: of those in a window, and of all events what is open. */
import { type Decimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { hasLots } from '#schemas/domain/ledger/open-position';
import type { BookFigures } from '../pnl/figures.ts';
import { comparedPositions, isEqual, keyOf } from './equal-positions.ts';
import { inParts, isOfLedgers, type LedgerPart } from './ledger-rows.ts';
import { OPEN_SUMS, type OpenRow, readOpenSums } from './open-sums.ts';
import { type Query, queryBatch, type Reader } from './query.ts';

export interface FiguresWindow {
  /** The time that counts: the venue's, or that at which an event reached the ledger. */
  readonly by: 'ts' | 'receivedAt';
  /** Unix ms, inclusive; null means no bound. */
  readonly from: number | null;
  /** Unix ms, exclusive; null means no bound. */
  readonly before: number | null;
  /** Unix ms: events that reached the ledger later are left out, of what is open too; null means none. */
  readonly asOf: number | null;
}

export interface ReadFigures {
  /** Books with an event in the window or an open lot. */
  readonly books: readonly BookFigures[];
  /** The newest time at which an event reached one of the ledgers, unix ms; 0 without events. */
  readonly newest: number;
  /** Accounts of which the venue states a position in a token of which the ledger has no event. */
  readonly differing: ReadonlySet<string>;
}

interface BookRow extends OpenRow {
  readonly account: string;
  readonly instrument: string;
  readonly builder: string | null;
  readonly inWindow: number;
  readonly realizedSum: string | null;
  readonly notionalSum: string;
  readonly trades: number;
  readonly unknownFees: number;
  readonly feeSum: string | null;
  readonly newest: number;
  readonly partials: number;
}

export async function readBookFigures(
  store: Reader,
  ledgers: readonly LedgerPart[],
  window: FiguresWindow,
): Promise<ReadFigures> {
  const books: BookFigures[] = [];
  const differing = new Set<string>();
  let newest = 0;
  for (const part of inParts(ledgers)) {
    const { asOf } = window;
    const until = asOf === null ? '' : ' AND l.receivedAt <= fromUnixTimestamp64Milli({asOf:Int64})';
    const own = isOfLedgers(part);
    const condition = `${own.sql} AND l.state = 'applied'${until}`;
    const parameters = { ...own.parameters, ...(asOf === null ? {} : { asOf }) };
    const [rows, compared] = await queryBatch(store, [sumsOf(condition, parameters, window), comparedPositions(part)]);
    // A token with a book makes that book partial. One without is missing in every sum of its account.
    const inBooks = new Set(rows.map(keyOf));
    for (const token of compared.differing) if (!inBooks.has(keyOf(token))) differing.add(token.account);
    for (const row of rows) {
      newest = Math.max(newest, row.newest);
      const figures = figuresOf(row, isEqual(compared, row));
      if (row.inWindow > 0 || hasLots(figures.open)) books.push(figures);
    }
  }
  return { books, newest, differing };
}

function sumsOf(
  condition: string,
  parameters: Query<unknown>['parameters'],
  { by, from, before }: FiguresWindow,
): Query<BookRow[]> {
  const bounds = [
    ...(from === null ? [] : [`l.${by} >= fromUnixTimestamp64Milli({from:Int64})`]),
    ...(before === null ? [] : [`l.${by} < fromUnixTimestamp64Milli({before:Int64})`]),
  ];
  // Without a window each row counts, and a sum without a condition takes less time.
  const [counts, sum] =
    bounds.length === 0
      ? ['true', (column: string) => `sum(${column})`]
      : [bounds.join(' AND '), (column: string) => `sumIf(${column}, ${bounds.join(' AND ')})`];
  return {
    name: 'book-figures',
    sql: `SELECT l.account AS account, l.instrument AS instrument, l.builder AS builder,
       toFloat64(countIf(${counts})) AS inWindow, ${sum('l.realized')} AS realizedSum,
       ${sum('l.notional')} AS notionalSum,
       toFloat64(countIf(l.kind = 'fill' AND l.qty != 0 AND ${counts})) AS trades,
       ${OPEN_SUMS}, toFloat64(countIf(l.partial)) AS partials,
       toFloat64(countIf(l.fee IS NULL AND ${counts})) AS unknownFees, ${sum('l.fee')} AS feeSum,
       toFloat64(toUnixTimestamp64Milli(max(l.receivedAt))) AS newest
     FROM book_events AS l FINAL
     WHERE ${condition}
     GROUP BY l.account, l.instrument, l.builder
     ORDER BY l.account, l.instrument, l.builder`,
    parameters: { ...parameters, ...(from === null ? {} : { from }), ...(before === null ? {} : { before }) },
    parse: (rows: BookRow[]) => rows,
  };
}

function figuresOf(row: BookRow, isKnownEqual: boolean): BookFigures {
  const { account, instrument, builder, inWindow, realizedSum, notionalSum, trades, unknownFees, feeSum, partials } =
    row;
  const sumOf = (text: string | null): Decimal | null => (text === null ? null : parseDecimal(text));
  return {
    account,
    instrument,
    builder,
    realized: inWindow === 0 ? ZERO : sumOf(realizedSum),
    notional: parseDecimal(notionalSum),
    trades,
    fees: unknownFees > 0 ? null : (sumOf(feeSum) ?? ZERO),
    open: readOpenSums(row),
    isPartial: partials > 0 || !isKnownEqual,
  };
}
