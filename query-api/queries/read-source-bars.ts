/** Reads stored bars and ranges of sources, from which `schemas/domain/candles/` selects. */
import type { Parameter } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { momentOf } from '#schemas/domain/candles/bars';
import type { SourceBar, SourceRange } from '#schemas/domain/candles/select';
import { MINUTE_MS } from '#schemas/domain/candles/sources';
import { parseDecimal } from '#schemas/domain/decimal';
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

type Row = BarInstrument & {
  readonly source: string;
  readonly intervalMs: number;
  readonly openTime: number;
  readonly lastTime: number;
  readonly receivedAt: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly trades: number;
  readonly openTs: number | null;
  readonly openArrival: number | null;
  readonly closeTs: number | null;
  readonly closeArrival: number | null;
};

/**
 * Reads bars with trades. Minutes of one source in one bucket are joined by the store as far as they are between two
 * `points`: there are too many of them to select one by one.
 */
export function readSourceBars(
  store: Reader,
  instruments: readonly BarInstrument[],
  lengths: readonly number[],
  { stepMs, from, until }: Buckets,
  points: readonly number[],
): Promise<BarOfInstrument[]> {
  const minutes = `SELECT provider, coin, source, intervalMs, receivedAt, open, high, low, close, volume, trades,
         toUnixTimestamp64Milli(openTime) AS openMs, intDiv(openMs, {stepMs:Int64}) AS bucket,
         if(intervalMs = ${MINUTE_MS}, arrayCount(point -> point <= openMs, {points:Array(Int64)}), openMs) AS part,
         ${nullableMs('openTs')} AS openTsMs, toFloat64(openArrival) AS openArrivalMs,
         ${nullableMs('closeTs')} AS closeTsMs, toFloat64(closeArrival) AS closeArrivalMs
       FROM candle_bars FINAL WHERE ${isOneOf(instruments)} AND ${IN_BUCKETS} AND trades > 0`;
  const statement: Query<BarOfInstrument[]> = {
    name: 'candles',
    sql: stepMs === MINUTE_MS ? singleBars(minutes) : joinedBars(minutes),
    parameters: { ...parametersOf(instruments), lengths, from, until, stepMs, points },
    parse: (rows: Row[]) => rows.map(barOf),
  };
  return query(store, statement);
}

function joinedBars(minutes: string): string {
  return `SELECT provider, coin, source, toFloat64(intervalMs) AS intervalMs,
       toFloat64(min(openMs)) AS openTime, toFloat64(max(openMs)) AS lastTime, ${unixMs('max(receivedAt)')} AS receivedAt,
       argMin(open, openMs) AS open, max(high) AS high, min(low) AS low, argMax(close, openMs) AS close,
       sum(volume) AS volume, toFloat64(sum(trades)) AS trades,
       argMin(tuple(openTsMs), openMs).1 AS openTs, argMin(tuple(openArrivalMs), openMs).1 AS openArrival,
       argMax(tuple(closeTsMs), openMs).1 AS closeTs, argMax(tuple(closeArrivalMs), openMs).1 AS closeArrival
     FROM (${minutes})
     GROUP BY provider, coin, source, intervalMs, bucket, part`;
}

/** Bars of a minute are alone in their bucket, so that nothing is joined. */
function singleBars(minutes: string): string {
  return `SELECT provider, coin, source, toFloat64(m.intervalMs) AS intervalMs,
       toFloat64(openMs) AS openTime, toFloat64(openMs) AS lastTime, ${unixMs('m.receivedAt')} AS receivedAt,
       open, high, low, close, volume, toFloat64(m.trades) AS trades,
       openTsMs AS openTs, openArrivalMs AS openArrival, closeTsMs AS closeTs, closeArrivalMs AS closeArrival
     FROM (${minutes}) AS m`;
}

function nullableMs(column: string): string {
  return `if(isNull(${column}), NULL, ${unixMs(`assumeNotNull(${column})`)})`;
}

function barOf(row: Row): BarOfInstrument {
  const { provider, coin, source, intervalMs, openTime, lastTime, receivedAt, trades } = row;
  const [open, high, low] = [parseDecimal(row.open), parseDecimal(row.high), parseDecimal(row.low)];
  const [close, volume] = [parseDecimal(row.close), parseDecimal(row.volume)];
  const openAt = momentOf(row.openTs, row.openArrival, openTime, intervalMs);
  const closeAt = momentOf(row.closeTs, row.closeArrival, lastTime, intervalMs);
  const bar = { open, high, low, close, volume, trades, openAt, closeAt };
  return { provider, coin, source, intervalMs, openTime, receivedAt, bar };
}
