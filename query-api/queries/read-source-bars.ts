/** Reads stored bars and ranges of sources, from which `schemas/domain/candles/` selects. */
import type { Parameter } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { momentOf, StoredBar } from '#schemas/domain/candles/bars';
import type { SourceBar, SourceRange } from '#schemas/domain/candles/select';
import { MINUTE_MS } from '#schemas/domain/candles/sources';
import type { Buckets } from './candle-window.ts';
import { type Query, query, type Reader } from './query.ts';

/** An instrument with bars, by the leading columns of the sorting keys. */
export interface BarInstrument {
  readonly provider: string;
  readonly coin: string;
}

export type BarOfInstrument = BarInstrument & SourceBar;
export type RangeOfInstrument = BarInstrument & SourceRange;

const IN_BUCKETS = `intervalMs IN {lengths:Array(UInt64)}
  AND openTime >= fromUnixTimestamp64Milli({from:Int64}) AND openTime < fromUnixTimestamp64Milli({until:Int64})`;

/** Condition on the instruments. One instrument is read from its range of the sorting key. */
function isOneOf(instruments: readonly BarInstrument[]): string {
  if (instruments.length === 1) return 'provider = {provider0:String} AND coin = {coin0:String}';
  return `(provider, coin) IN (${instruments.map((_, at) => `({provider${at}:String}, {coin${at}:String})`).join(', ')})`;
}

function parametersOf(instruments: readonly BarInstrument[]): Record<string, Parameter> {
  return Object.fromEntries(
    instruments.flatMap(({ provider, coin }, at) => [
      [`provider${at}`, provider],
      [`coin${at}`, coin],
    ]),
  );
}

/** The ranges that touch the buckets. */
export function readRanges(
  store: Reader,
  instruments: readonly BarInstrument[],
  { from, until }: Buckets,
): Promise<RangeOfInstrument[]> {
  return query(store, {
    name: 'candle-ranges',
    sql: `SELECT provider, coin, source, toFloat64(intervalMs) AS intervalMs, kind,
       ${unixMs('r.from')} AS from, if(isNull(r.until), NULL, ${unixMs('assumeNotNull(r.until)')}) AS until
     FROM candle_ranges AS r FINAL
     WHERE ${isOneOf(instruments)} AND kind != 'none' AND r.from < fromUnixTimestamp64Milli({until:Int64})
       AND (isNull(r.until) OR r.until >= fromUnixTimestamp64Milli({from:Int64}))`,
    parameters: { ...parametersOf(instruments), from, until },
    parse: (ranges: RangeOfInstrument[]) => ranges,
  });
}

/** The time of the `rows`-th row from the end where the limit counts; null if there are fewer rows. */
export function timeOfRow(
  store: Reader,
  instruments: readonly BarInstrument[],
  lengths: readonly number[],
  buckets: Buckets,
  rows: number,
): Promise<number | null> {
  const { oldestFirst, from, until } = buckets;
  return query(store, {
    name: 'candles-range',
    sql: `SELECT ${unixMs(oldestFirst ? 'max(openTime)' : 'min(openTime)')} AS time, toFloat64(count()) AS counted
     FROM (SELECT openTime FROM candle_bars WHERE ${isOneOf(instruments)} AND ${IN_BUCKETS}
       ORDER BY openTime ${oldestFirst ? 'ASC' : 'DESC'} LIMIT {rows:UInt64})`,
    parameters: { ...parametersOf(instruments), lengths, from, until, rows },
    parse: ([found]: { time: number; counted: number }[]) => (found && found.counted >= rows ? found.time : null),
  });
}

/** Bars of one source as columns: thousands of them are parsed several times faster than as rows. */
type Columns = BarInstrument & {
  readonly source: string;
  readonly intervalMs: number;
  readonly openTime: readonly number[];
  readonly lastTime: readonly number[];
  readonly receivedAt: readonly number[];
  readonly open: readonly string[];
  readonly high: readonly string[];
  readonly low: readonly string[];
  readonly close: readonly string[];
  readonly volume: readonly string[];
  readonly trades: readonly number[];
  /** Time and arrival of the first and of the last trade; absent where nothing depends on them. */
  readonly opened?: readonly Place[];
  readonly closed?: readonly Place[];
};

type Place = readonly [ts: number | null, arrival: number | null];
const NO_PLACE: Place = [null, null];

/**
 * Reads bars with trades. Minutes of one source in one bucket are joined by the store as far as they are between two
 * `points`: there are too many of them to select one by one. Only bars of several instruments have the exact moments of
 * their first and last trades, which decide how they are joined.
 */
export function readSourceBars(
  store: Reader,
  instruments: readonly BarInstrument[],
  lengths: readonly number[],
  { stepMs, from, until }: Buckets,
  points: readonly number[],
): Promise<BarOfInstrument[]> {
  const hasPlaces = instruments.length > 1;
  const placed = (sql: string) => (hasPlaces ? sql : '');
  const stored = `SELECT provider, coin, source, intervalMs, receivedAt, open, high, low, close, volume, trades,
         toUnixTimestamp64Milli(openTime) AS firstMs, firstMs AS lastMs
         ${placed(`, [${nullableMs('openTs')}, toFloat64(openArrival)] AS opened`)}
         ${placed(`, [${nullableMs('closeTs')}, toFloat64(closeArrival)] AS closed`)}
       FROM candle_bars FINAL WHERE ${isOneOf(instruments)} AND ${IN_BUCKETS} AND trades > 0`;
  // Bars of a minute are alone in their bucket, so that nothing is joined.
  const bars = stepMs === MINUTE_MS ? stored : joined(stored, placed);
  const statement: Query<BarOfInstrument[]> = {
    name: 'candles',
    sql: `SELECT provider, coin, source, toFloat64(intervalMs) AS intervalMs,
         groupArray(toFloat64(firstMs)) AS openTime, groupArray(toFloat64(lastMs)) AS lastTime,
         groupArray(${unixMs('receivedAt')}) AS receivedAt, groupArray(open) AS open, groupArray(high) AS high,
         groupArray(low) AS low, groupArray(close) AS close, groupArray(volume) AS volume,
         groupArray(toFloat64(trades)) AS trades
         ${placed(', groupArray(opened) AS opened, groupArray(closed) AS closed')}
       FROM (${bars}) AS bars GROUP BY provider, coin, source, intervalMs`,
    parameters: { ...parametersOf(instruments), lengths, from, until, stepMs, points: [0, ...points] },
    parse: (columns: Columns[]) => columns.flatMap(barsOf),
  };
  return query(store, statement);
}

/** A joined bar starts with its bucket, or at the point within it. */
function joined(stored: string, placed: (sql: string) => string): string {
  return `SELECT provider, coin, source, intervalMs, min(firstMs) AS firstMs, max(lastMs) AS lastMs,
       max(receivedAt) AS receivedAt, argMin(open, stored.firstMs) AS open, max(high) AS high, min(low) AS low,
       argMax(close, stored.firstMs) AS close, sum(volume) AS volume, sum(trades) AS trades
       ${placed(', argMin(opened, stored.firstMs) AS opened, argMax(closed, stored.firstMs) AS closed')}
     FROM (${stored}) AS stored
     GROUP BY provider, coin, source, intervalMs, greatest(intDiv(stored.firstMs, {stepMs:Int64}) * {stepMs:Int64},
       if(intervalMs = ${MINUTE_MS}, roundDown(stored.firstMs, {points:Array(Int64)}), stored.firstMs))`;
}

function nullableMs(column: string): string {
  return `if(isNull(${column}), NULL, ${unixMs(`assumeNotNull(${column})`)})`;
}

function barsOf(columns: Columns): BarOfInstrument[] {
  const { provider, coin, source, intervalMs, receivedAt, opened, closed } = columns;
  return columns.openTime.map((openTime, at) => {
    const [open, high, low] = [columns.open[at]!, columns.high[at]!, columns.low[at]!];
    const texts = { open, high, low, close: columns.close[at]!, volume: columns.volume[at]! };
    const openAt = momentOf(...(opened?.[at] ?? NO_PLACE), openTime, intervalMs);
    const closeAt = momentOf(...(closed?.[at] ?? NO_PLACE), columns.lastTime[at]!, intervalMs);
    const bar = new StoredBar(texts, columns.trades[at]!, openAt, closeAt);
    return { provider, coin, source, intervalMs, openTime, receivedAt: receivedAt[at]!, bar };
  });
}
