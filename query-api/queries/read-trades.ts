import type { Parameter } from '#infra/store/store';
import { type StoredTrade, tradesTable } from '#schemas/tables/trades';
import type { Trade } from '#schemas/topics/normalised';
import { type Query, query, type Reader } from './query.ts';
import { selectColumns } from './select-columns.ts';
import { formatCursor, invalidCursor, readCursor } from './time-cursor.ts';

/** An instrument, by the leading columns of the sorting key. */
export interface TradedInstrument {
  readonly provider: string;
  readonly instrument: string;
}

/** The columns of a `StoredTrade`. */
export const TRADE_COLUMNS = selectColumns(tradesTable, 't', [
  'id',
  'provider',
  'marketId',
  'instrument',
  'outcome',
  'ts',
  'receivedAt',
  'arrival',
  'side',
  'price',
  'qty',
  'usd',
  'maker',
  'taker',
  'txHash',
  'logIndex',
  'tradeId',
  'blockNumber',
  'blockHash',
  'status',
]);
/** A trade with the number of rows that were scanned. */
type Row = StoredTrade & { readonly reached: number };

/** Rows scanned at first for each requested trade: some are older versions of a trade, some are reverted. */
const ROWS_PER_TRADE = 4;
/** Growth factor of the scan window when too few trades were found. */
const WINDOW_GROWTH = 16;

export interface TradeFilter {
  readonly instruments: readonly TradedInstrument[];
  readonly limit: number;
  /** Unix ms: only trades up to this time; null means no bound. */
  readonly until: number | null;
  /** Only trades that are listed after this one; null means no bound. */
  readonly after?: TradeKey | null;
}

/** What a response states of a trade, and its identity. */
export type ServedTrade = Pick<Trade, 'id' | 'ts' | 'price' | 'qty' | 'side' | 'txHash'>;

/** What trades are sorted by, which no update of a trade changes. */
export type TradeKey = Pick<StoredTrade, 'ts' | 'arrival' | 'id'>;

/** The newest trades among the scanned rows. */
interface TradeScan {
  readonly trades: readonly StoredTrade[];
  /** True if there are as many as requested, or no more exist. */
  readonly isComplete: boolean;
}

/**
 * Reads the newest trades of a filter, newest first by venue time, then by arrival, each in its newest version, without
 * reverted ones.
 */
export async function readTrades(store: Reader, filter: TradeFilter): Promise<readonly StoredTrade[]> {
  if (filter.instruments.length === 0) return [];
  for (let rows = filter.limit * ROWS_PER_TRADE; ; rows *= WINDOW_GROWTH) {
    const { trades, isComplete } = await query(store, newestTrades(filter, rows));
    if (isComplete) return trades;
  }
}

/** Pages through the trades of instruments. Throws 400 for an invalid cursor. */
export async function readTradePage(
  store: Reader,
  instruments: readonly TradedInstrument[],
  limit: number,
  cursor: string | null,
): Promise<{ readonly trades: readonly StoredTrade[]; readonly nextCursor: string | null }> {
  const after = cursor === null ? null : keyOfCursor(cursor);
  // One more than requested shows whether there is a next page.
  const found = await readTrades(store, { instruments, limit: limit + 1, until: null, after });
  const trades = found.slice(0, limit);
  const last = trades.at(-1);
  return { trades, nextCursor: found.length > limit && last ? cursorOf(last) : null };
}

function cursorOf({ ts, arrival, id }: TradeKey): string {
  return formatCursor({ at: ts, id: `${arrival}:${id}` });
}

function keyOfCursor(cursor: string): TradeKey {
  const { at, id } = readCursor(cursor);
  const parts = /^(\d{1,15}):(.+)$/.exec(id);
  if (!parts) throw invalidCursor();
  return { ts: at, arrival: Number(parts[1]), id: parts[2]! };
}

/**
 * The query for the newest trades among the newest `rows` rows.
 *
 * `FINAL` alone would merge the complete history of an instrument to return its last fifty trades (0.5 s for a
 * million). So a subquery of the times first determines how far back these rows reach, and only that range is merged
 * (20 ms). Reverted trades are sorted last: if all others are missing, one of them still carries the number of scanned
 * rows.
 */
export function newestTrades(
  { instruments, limit, until, after = null }: TradeFilter,
  rows = limit * ROWS_PER_TRADE,
): Query<TradeScan> {
  const bound = after?.ts ?? until;
  const condition = [
    isOneOf(instruments),
    ...(bound === null ? [] : ['t.ts <= fromUnixTimestamp64Milli({bound:Int64})']),
    ...(after === null
      ? []
      : [
          '(t.ts, t.arrival, t.id) < (fromUnixTimestamp64Milli({bound:Int64}), {afterArrival:UInt64}, {afterId:String})',
        ]),
  ].join(' AND ');
  return {
    name: 'newest-trades',
    sql: `WITH (
       SELECT (min(ts), toFloat64(count()))
       FROM (SELECT ts FROM trades AS t WHERE ${condition} ORDER BY t.ts DESC LIMIT {rows:UInt64})
     ) AS reach
     SELECT ${TRADE_COLUMNS}, reach.2 AS reached
     FROM trades AS t FINAL
     WHERE ${condition} AND t.ts >= reach.1
     ORDER BY status = 'reverted', t.ts DESC, t.arrival DESC, id DESC
     LIMIT {limit:UInt32}`,
    parameters: {
      ...parametersOf(instruments),
      limit,
      rows,
      ...(bound === null ? {} : { bound }),
      ...(after === null ? {} : { afterArrival: after.arrival, afterId: after.id }),
    },
    parse: (found: Row[]) => {
      const trades = found.filter(({ status }) => status !== 'reverted').map(({ reached, ...trade }) => trade);
      const isAll = !found.some(({ reached }) => reached >= rows);
      return { trades, isComplete: trades.length >= limit || isAll };
    },
  };
}

/**
 * Condition on the instruments. One instrument is read from the end of its range of the sorting key; for several all
 * times are scanned.
 */
function isOneOf(instruments: readonly TradedInstrument[]): string {
  if (instruments.length === 0) return 'false';
  if (instruments.length === 1) return 'provider = {provider0:String} AND instrument = {instrument0:String}';
  // Compares pairs: two venues may use the same name for different instruments.
  const pairs = instruments.map((_, at) => `({provider${at}:String}, {instrument${at}:String})`);
  return `(provider, instrument) IN (${pairs.join(', ')})`;
}

/** Parameters `provider<at>` and `instrument<at>` of each instrument. */
function parametersOf(instruments: readonly TradedInstrument[]): Record<string, Parameter> {
  return Object.fromEntries(
    instruments.flatMap(({ provider, instrument }, at) => [
      [`provider${at}`, provider],
      [`instrument${at}`, instrument],
    ]),
  );
}
