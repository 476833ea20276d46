/** Pages back through the published spreads and arbitrage of an event, which the tables hold forever. */
import { arbitrageTable } from '#schemas/tables/arbitrage';
import { spreadsTable } from '#schemas/tables/spreads';
import type { Arbitrage, Spread } from '#schemas/topics/derived';
import { type Query, queryBatch, type Reader } from './query.ts';
import { type RowOf, selectColumns, selectNested } from './select-columns.ts';
import { type CursorKey, formatCursor, invalidCursor, readCursor } from './time-cursor.ts';

export interface HistoryRange {
  /** Unix ms, inclusive. */
  readonly from: number;
  /** Unix ms, inclusive; null means no bound. */
  readonly to: number | null;
  readonly limit: number;
  readonly cursor: string | null;
}

export interface HistoryPage<T> {
  /** Newest first. */
  readonly records: readonly T[];
  readonly nextCursor: string | null;
}

/** A record with its version in its table. */
type Versioned<T> = T & { readonly version: number };

/** One ordered part of a table, found by the first columns of its sorting key. */
interface Series<T> {
  /** Identifies the series; series with records of one millisecond are listed in descending order of it. */
  readonly id: string;
  /** The first columns of the sorting key, with their values. */
  readonly key: Readonly<Record<string, string>>;
  query(bounds: Bounds): Query<Versioned<T>[]>;
}

/** Bounds of a page in one series. */
interface Bounds {
  readonly from: number;
  /** Unix ms, inclusive. */
  readonly until: number;
  /** Records at `until` must have a lower version; null means no bound. */
  readonly belowVersion: number | null;
  readonly limit: number;
}

const SPREAD_COLUMNS = selectColumns(spreadsTable, 'h', [
  'universalId',
  'receivedAt',
  'causeProvider',
  'causeMarketId',
]);
const LEGS = selectNested(spreadsTable, 'h', 'legs');
const ARBITRAGE_COLUMNS = selectColumns(arbitrageTable, 'h');
const ARBITRAGE_KINDS: readonly Arbitrage['kind'][] = ['cross_provider', 'negation_pair'];
/** End of a history without one: the last time of the column type. */
const LATEST_MS = 10_413_791_999_999;

/**
 * Reads the spreads that were published for an event.
 * @param universalIds the event and the events that were merged into it.
 */
export function readSpreadHistory(
  store: Reader,
  universalIds: readonly string[],
  range: HistoryRange,
): Promise<HistoryPage<Spread>> {
  const series = universalIds.map((universalId): Series<Spread> => {
    const key = { universalId };
    return {
      id: universalId,
      key,
      query: (bounds) => ({
        ...statement('spread-history', 'spreads', `${SPREAD_COLUMNS}, ${LEGS.sql}`, key, bounds),
        parse: (rows: Versioned<RowOf<typeof SPREAD_COLUMNS>>[]) =>
          rows.map(({ universalId, receivedAt, causeProvider, causeMarketId, version, ...row }) => ({
            universalId,
            receivedAt,
            legs: LEGS.read(row),
            causeProvider,
            causeMarketId,
            version,
          })),
      }),
    };
  });
  return readPage(store, series, range);
}

/**
 * Reads the arbitrage that was published for an event.
 * @param universalIds the event and the events that were merged into it.
 */
export function readArbitrageHistory(
  store: Reader,
  universalIds: readonly string[],
  range: HistoryRange,
): Promise<HistoryPage<Arbitrage>> {
  const series = universalIds.flatMap((universalId) =>
    ARBITRAGE_KINDS.map((kind): Series<Arbitrage> => {
      const key = { universalId, kind };
      return {
        id: `${universalId}:${kind}`,
        key,
        query: (bounds) => ({
          ...statement('arbitrage-history', 'arbitrage', ARBITRAGE_COLUMNS, key, bounds),
          parse: (rows: Versioned<Arbitrage>[]) => rows,
        }),
      };
    }),
  );
  return readPage(store, series, range);
}

/** Reads the newest rows of one series from the end of its range of the sorting key. */
function statement(
  name: string,
  table: string,
  columns: string,
  key: Readonly<Record<string, string>>,
  { from, until, belowVersion, limit }: Bounds,
): Omit<Query<unknown>, 'parse'> {
  return {
    name,
    sql: `SELECT ${columns}, toFloat64(h.version) AS version
     FROM ${table} AS h
     WHERE ${Object.keys(key)
       .map((column) => `h.${column} = {${column}:String}`)
       .join(' AND ')}
       AND h.receivedAt >= fromUnixTimestamp64Milli({from:Int64})
       AND h.receivedAt <= fromUnixTimestamp64Milli({until:Int64})
       ${belowVersion === null ? '' : 'AND (h.receivedAt < fromUnixTimestamp64Milli({until:Int64}) OR h.version < {belowVersion:UInt64})'}
     ORDER BY h.receivedAt DESC, h.version DESC
     LIMIT 1 BY h.receivedAt, h.version
     LIMIT {limit:UInt32}`,
    parameters: { ...key, from, until, limit, ...(belowVersion === null ? {} : { belowVersion }) },
  };
}

async function readPage<T extends { readonly receivedAt: number }>(
  store: Reader,
  series: readonly Series<T>[],
  { from, to, limit, cursor }: HistoryRange,
): Promise<HistoryPage<T>> {
  const after = cursor === null ? null : pageEndOf(readCursor(cursor));
  const last = Math.min(to ?? LATEST_MS, LATEST_MS);
  const rows = await queryBatch(
    store,
    // One more than requested shows whether there is a next page.
    series.map((one) => one.query({ from, limit: limit + 1, ...boundsAfter(one.id, after, last) })),
  );
  const found = rows
    .flatMap((records, at) => records.map((record) => ({ record, id: series[at]!.id })))
    .sort(
      (a, b) => b.record.receivedAt - a.record.receivedAt || compare(b.id, a.id) || b.record.version - a.record.version,
    );
  const page = found.slice(0, limit);
  const end = page.at(-1);
  return {
    records: page.map(({ record: { version, ...record } }) => record as unknown as T),
    nextCursor:
      found.length > limit && end
        ? formatCursor({ at: end.record.receivedAt, id: `${end.record.version}:${end.id}` })
        : null,
  };
}

/** Where a page ended. */
interface PageEnd {
  readonly at: number;
  readonly series: string;
  readonly version: number;
}

function pageEndOf({ at, id }: CursorKey): PageEnd {
  const parts = /^(\d{1,15}):(.+)$/.exec(id);
  if (!parts) throw invalidCursor();
  return { at, version: Number(parts[1]), series: parts[2]! };
}

/** The bounds of a series after the end of a page: within its millisecond, series follow one another. */
function boundsAfter(id: string, after: PageEnd | null, last: number): Pick<Bounds, 'until' | 'belowVersion'> {
  if (after === null || after.at > last) return { until: last, belowVersion: null };
  const order = compare(id, after.series);
  if (order === 0) return { until: after.at, belowVersion: after.version };
  return { until: order < 0 ? after.at : after.at - 1, belowVersion: null };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
