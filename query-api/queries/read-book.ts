/** Reads one book of a ledger: its figures, its open lots, and pages of its events. */
import { type OpenPosition, openPositionOf } from '#schemas/domain/ledger/open-position';
import { bookEventsTable } from '#schemas/tables/book-events';
import type { FollowedLedger, LedgerEventRow } from '#schemas/topics/ledgers';
import { comparedPositions, isEqual } from './equal-positions.ts';
import { type OpenLot, openLots } from './open-lots.ts';
import { OPEN_SUMS, type OpenRow, readOpenSums } from './open-sums.ts';
import { type Query, queryBatch, type Reader } from './query.ts';
import { type RowOf, selectColumns, selectNested } from './select-columns.ts';
import { type CursorKey, formatCursor, invalidCursor, readCursor } from './time-cursor.ts';

/** A book, by its place in a ledger. */
export interface BookPlace {
  readonly ledger: FollowedLedger;
  readonly instrument: string;
  readonly builder: string | null;
}

const EVENT_COLUMNS = selectColumns(bookEventsTable, 'l', [
  'id',
  'part',
  'kind',
  'at',
  'index',
  'nth',
  'ts',
  'receivedAt',
  'qty',
  'price',
  'realized',
  'fee',
]);
const CLOSES = selectNested(bookEventsTable, 'l', 'closes');
type EventRow = RowOf<typeof EVENT_COLUMNS>;
export type BookEvent = EventRow & Pick<LedgerEventRow, 'closes'>;

export interface ReadBook {
  /** Exact text; null if all of it is unknown. */
  readonly realized: string | null;
  /** True if its figures leave something out. */
  readonly isPartial: boolean;
  /** Oldest first. */
  readonly lots: readonly OpenLot[];
  readonly open: OpenPosition;
  /** Oldest first. */
  readonly events: readonly BookEvent[];
  readonly nextCursor: string | null;
}

/** Returns null if the ledger has no such book. Throws 400 for an invalid cursor, also for one of another book. */
export async function readBook(
  store: Reader,
  place: BookPlace,
  limit: number,
  cursor: string | null,
  scope: string,
): Promise<ReadBook | null> {
  const after = cursor === null ? null : placeOf(readCursor(cursor), scope);
  const [summary, lots, rows, compared] = await queryBatch(store, [
    summaryOf(place),
    openLots(OF_BOOK, parametersOf(place)),
    // One more than requested shows whether there is a next page.
    eventsOf(place, limit + 1, after),
    comparedPositions([place.ledger], place.instrument),
  ]);
  if (summary.events === 0) return null;
  const events = rows.slice(0, limit);
  const last = events.at(-1);
  return {
    realized: summary.realized,
    isPartial:
      summary.partials > 0 || !isEqual(compared, { account: place.ledger.account, instrument: place.instrument }),
    lots,
    open: openPositionOf(readOpenSums(summary)),
    events,
    nextCursor: rows.length > limit && last ? cursorOf(last, scope) : null,
  };
}

const OF_BOOK = `l.account = {account:String} AND l.ledger = fromUnixTimestamp64Milli({ledger:Int64})
  AND l.instrument = {instrument:String} AND ifNull(l.builder, '') = {builder:String} AND l.state = 'applied'`;

function parametersOf({ ledger, instrument, builder }: BookPlace) {
  return { account: ledger.account, ledger: ledger.ledger, instrument, builder: builder ?? '' };
}

interface Summary extends OpenRow {
  readonly events: number;
  readonly realized: string | null;
  readonly partials: number;
}

function summaryOf(place: BookPlace): Query<Summary> {
  return {
    name: 'book-summary',
    sql: `SELECT toFloat64(count()) AS events, sum(l.realized) AS realized, ${OPEN_SUMS},
       toFloat64(countIf(l.partial)) AS partials
     FROM book_events AS l FINAL WHERE ${OF_BOOK}`,
    parameters: parametersOf(place),
    parse: (rows: Summary[]) => rows[0]!,
  };
}

function eventsOf(place: BookPlace, rows: number, after: EventPlace | null): Query<BookEvent[]> {
  return {
    name: 'book-events',
    sql: `SELECT ${EVENT_COLUMNS}, ${CLOSES.sql}
     FROM book_events AS l FINAL
     WHERE ${OF_BOOK}
       ${after ? 'AND (l.at, l.index, l.nth, l.id, l.part) > ({afterAt:UInt64}, {afterIndex:UInt64}, {afterNth:UInt64}, {afterId:String}, {afterPart:UInt64})' : ''}
     ORDER BY l.at, l.index, l.nth, l.id, l.part
     LIMIT {rows:UInt32}`,
    parameters: { ...parametersOf(place), rows, ...after },
    parse: (found: EventRow[]) => found.map((row) => ({ ...row, closes: CLOSES.read(row) })),
  };
}

interface EventPlace {
  readonly afterAt: number;
  readonly afterIndex: number;
  readonly afterNth: number;
  readonly afterId: string;
  readonly afterPart: number;
}

function cursorOf({ at, index, nth, id, part }: BookEvent, scope: string): string {
  return formatCursor({ at, id: `${scope}/${index}/${nth}/${part}/${id}` });
}

function placeOf({ at, id }: CursorKey, scope: string): EventPlace {
  const parts = /^(\w+)\/(\d{1,15})\/(\d{1,15})\/(\d{1,15})\/(.+)$/.exec(id);
  if (!parts || parts[1] !== scope) throw invalidCursor();
  return {
    afterAt: at,
    afterIndex: Number(parts[2]),
    afterNth: Number(parts[3]),
    afterPart: Number(parts[4]),
    afterId: parts[5]!,
  };
}
