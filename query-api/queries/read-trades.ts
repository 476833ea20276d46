import type { Parameter, Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import type { Trade } from '#schemas/topics/normalised';
import { type Reading, readOne } from './reading.ts';

/** Something that is traded: what the table is sorted by. */
export interface TradedInstrument {
  readonly provider: string;
  readonly instrument: string;
}

/** Counts come back as text, as every 64-bit integer. */
type Row = Omit<Trade, 'arrival' | 'logIndex' | 'blockNumber'> & {
  readonly arrival: string;
  readonly logIndex: string | null;
  readonly blockNumber: string | null;
  /** How many rows were looked at. */
  readonly reached: number;
};

/** Rows looked at first for each trade that is asked for: some are older states of a trade, some were reverted. */
const ROWS_PER_TRADE = 4;
/** How much further back each next look goes, where too few trades remained. */
const WIDER = 16;

/** What to look for. */
export interface TradesAsked {
  readonly instruments: readonly TradedInstrument[];
  readonly limit: number;
  /** Unix ms: none that is later. */
  readonly until: number | null;
}

/** The newest trades, or so many of them as are among the rows that were looked at. */
interface Look {
  readonly trades: readonly Trade[];
  /** Whether there are no more, or no more were asked for. */
  readonly isEnough: boolean;
}

/**
 * The newest `limit` trades of the instruments, newest first by venue time, then by arrival, each in its newest state,
 * reverted ones left out. With `until`, unix ms, none that is later.
 */
export async function readTrades(
  store: Pick<Store, 'query'>,
  instruments: readonly TradedInstrument[],
  limit: number,
  until: number | null = null,
): Promise<readonly Trade[]> {
  if (instruments.length === 0) return [];
  for (let rows = limit * ROWS_PER_TRADE; ; rows *= WIDER) {
    const { trades, isEnough } = await readOne(store, newestTrades({ instruments, limit, until }, rows));
    if (isEnough) return trades;
  }
}

/**
 * The newest trades among the newest `rows` rows.
 *
 * `FINAL` alone would merge an instrument's whole history to tell its last fifty trades (0.5 s for a million), so the
 * times are read first for how far back these rows reach, and only that much is merged (20 ms). Reverted trades come
 * last: one of them tells how many rows there were, where no other is left.
 */
export function newestTrades({ instruments, limit, until }: TradesAsked, rows = limit * ROWS_PER_TRADE): Reading<Look> {
  const isAsked = `${isOneOf(instruments)} ${until === null ? '' : 'AND t.ts <= fromUnixTimestamp64Milli({until:Int64})'}`;
  return {
    sql: `WITH (
       SELECT (min(ts), toFloat64(count()))
       FROM (SELECT ts FROM trades AS t WHERE ${isAsked} ORDER BY t.ts DESC LIMIT {rows:UInt64})
     ) AS reach
     SELECT id, provider, marketId, instrument, outcome, ${unixMs('t.ts')} AS ts, ${unixMs('t.receivedAt')} AS receivedAt,
       arrival, side, price, qty, usd, maker, taker, txHash, logIndex, tradeId, blockNumber, blockHash, status,
       reach.2 AS reached
     FROM trades AS t FINAL
     WHERE ${isAsked} AND t.ts >= reach.1
     ORDER BY status = 'reverted', t.ts DESC, arrival DESC, id DESC
     LIMIT {limit:UInt32}`,
    parameters: { ...parametersOf(instruments), limit, rows, ...(until === null ? {} : { until }) },
    from: (found: Row[]) => {
      const trades = found.filter(({ status }) => status !== 'reverted').map(toTrade);
      const isAll = !found.some(({ reached }) => reached >= rows);
      return { trades, isEnough: trades.length >= limit || isAll };
    },
  };
}

/** One instrument is read from the end of its part of the sorting key; of several the times are all looked at. */
function isOneOf(instruments: readonly TradedInstrument[]): string {
  if (instruments.length === 0) return 'false';
  if (instruments.length === 1) return 'provider = {provider0:String} AND instrument = {instrument0:String}';
  // Pairs: what one venue calls an instrument may be another one's name for something else.
  const pairs = instruments.map((_, at) => `({provider${at}:String}, {instrument${at}:String})`);
  return `(provider, instrument) IN (${pairs.join(', ')})`;
}

/** `provider<at>` and `instrument<at>` of each. */
function parametersOf(instruments: readonly TradedInstrument[]): Record<string, Parameter> {
  return Object.fromEntries(
    instruments.flatMap(({ provider, instrument }, at) => [
      [`provider${at}`, provider],
      [`instrument${at}`, instrument],
    ]),
  );
}

function toTrade({ reached, ...row }: Row): Trade {
  return {
    ...row,
    arrival: Number(row.arrival),
    logIndex: row.logIndex === null ? null : Number(row.logIndex),
    blockNumber: row.blockNumber === null ? null : Number(row.blockNumber),
  };
}
