import type { Parameter, Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import type { Trade } from '#schemas/topics/normalised';

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
};
type Reader = Pick<Store, 'query'>;

/** Rows looked at first for each trade that is asked for: some are older states of a trade, some were reverted. */
const ROWS_PER_TRADE = 4;
/** How much further back each next look goes, where too few trades remained. */
const WIDER = 16;

/**
 * The newest `limit` trades of the instruments, newest first by venue time, then by arrival, each in its newest state,
 * reverted ones left out.
 *
 * `FINAL` alone would merge an instrument's whole history to tell its last fifty trades (0.5 s for a million), so the
 * end of the sorting key is read first for how far back they reach, and only that much is merged (20 ms).
 */
export async function readTrades(
  store: Reader,
  instruments: readonly TradedInstrument[],
  limit: number,
): Promise<Trade[]> {
  if (instruments.length === 0) return [];
  for (let rows = limit * ROWS_PER_TRADE; ; rows *= WIDER) {
    const since = await timeOfRow(store, instruments, rows);
    const trades = await newestSince(store, instruments, since, limit);
    if (trades.length >= limit || since === null) return trades;
  }
}

/** Venue time of the row that is the `rows`-th newest, or null when there are not so many. */
async function timeOfRow(
  store: Reader,
  instruments: readonly TradedInstrument[],
  rows: number,
): Promise<number | null> {
  const newest = instruments.map(
    (_, at) => `(SELECT ts FROM trades WHERE provider = {provider${at}:String} AND instrument = {instrument${at}:String}
      ORDER BY ts DESC LIMIT {rows:UInt64})`,
  );
  const [found] = await store.query<{ since: number; counted: number }>(
    `SELECT ${unixMs('min(ts)')} AS since, toFloat64(count()) AS counted
     FROM (SELECT ts FROM (${newest.join(' UNION ALL ')}) ORDER BY ts DESC LIMIT {rows:UInt64})`,
    { ...parametersOf(instruments), rows },
  );
  return found && found.counted >= rows ? found.since : null;
}

async function newestSince(
  store: Reader,
  instruments: readonly TradedInstrument[],
  since: number | null,
  limit: number,
): Promise<Trade[]> {
  // Pairs: what one venue calls an instrument may be another one's name for something else.
  const pairs = instruments.map((_, at) => `({provider${at}:String}, {instrument${at}:String})`);
  const rows = await store.query<Row>(
    `SELECT id, provider, marketId, instrument, outcome, ${unixMs('t.ts')} AS ts, ${unixMs('t.receivedAt')} AS receivedAt,
       arrival, side, price, qty, usd, maker, taker, txHash, logIndex, tradeId, blockNumber, blockHash, status
     FROM trades AS t FINAL
     WHERE (provider, instrument) IN (${pairs.join(', ')})
       ${since === null ? '' : 'AND t.ts >= fromUnixTimestamp64Milli({since:Int64})'} AND status != 'reverted'
     ORDER BY t.ts DESC, arrival DESC, id DESC
     LIMIT {limit:UInt32}`,
    {
      ...parametersOf(instruments),
      limit,
      ...(since === null ? {} : { since }),
    },
  );
  return rows.map(toTrade);
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

function toTrade(row: Row): Trade {
  return {
    ...row,
    arrival: Number(row.arrival),
    logIndex: row.logIndex === null ? null : Number(row.logIndex),
    blockNumber: row.blockNumber === null ? null : Number(row.blockNumber),
  };
}
