/** Reads stored bars and ranges of sources, from which `schemas/domain/candles/` selects. */
import type { Parameter } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import type { PreferredSpan, SourceRange } from '#schemas/domain/candles/select';
import { MINUTE_MS } from '#schemas/domain/candles/sources';
import type { Span } from '#schemas/domain/candles/spans';
import type { Buckets } from './candle-window.ts';
import { PackedCandles } from './packed-candles.ts';
import { FIELD_END, PackedRows, ROW_START } from './packed-rows.ts';
import { type Query, query, type Reader } from './query.ts';
import {
  type BarColumns,
  type BarInstrument,
  type BarOfInstrument,
  type DecimalColumn,
  StoredBar,
} from './stored-bar.ts';

export type RangeOfInstrument = BarInstrument & SourceRange;

const IN_BUCKETS = `intervalMs IN {lengths:Array(UInt64)}
  AND openTime >= fromUnixTimestamp64Milli({from:Int64}) AND openTime < fromUnixTimestamp64Milli({until:Int64})`;

/** Condition on the instruments. One instrument is read from its range of the sorting key. */
function isOneOf(instruments: readonly BarInstrument[]): string {
  if (instruments.length === 1) return 'provider = {provider0:String} AND coin = {coin0:String}';
  return `(provider, coin) IN (${instruments.map((_, at) => `({provider${at}:String}, {coin${at}:String})`).join(', ')})`;
}

export function parametersOf(instruments: readonly BarInstrument[]): Record<string, Parameter> {
  return Object.fromEntries(
    instruments.flatMap(({ provider, coin }, at) => [
      [`provider${at}`, provider],
      [`coin${at}`, coin],
    ]),
  );
}

/** The ranges that touch a span. */
export function readRanges(
  store: Reader,
  instruments: readonly BarInstrument[],
  { from, until }: Span,
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

/** A column in SQL: of a stored bar, and of joined bars. */
interface Column {
  readonly name: string;
  readonly stored: string;
  readonly joined: string;
}

/** A column of `BarColumns`, with the SQL of all its values as they are returned. */
interface ReturnedColumn extends Column {
  readonly name: keyof BarColumns;
  readonly returned: string;
}

const OPEN_MS = 'toUnixTimestamp64Milli(openTime)';
const COLUMNS: readonly ReturnedColumn[] = [
  { name: 'firstMs', stored: OPEN_MS, joined: 'min(stored.firstMs)', returned: 'groupArray(toFloat64(firstMs))' },
  decimals('open', 'argMin(open, stored.firstMs)'),
  decimals('high', 'max(high)'),
  decimals('low', 'min(low)'),
  decimals('close', 'argMax(close, stored.firstMs)'),
  decimals('volume', 'sum(volume)'),
  { name: 'trades', stored: 'trades', joined: 'sum(trades)', returned: 'groupArray(toFloat64(trades))' },
];
const RECEIVED_AT: ReturnedColumn = {
  name: 'receivedAt',
  stored: 'receivedAt',
  joined: 'max(receivedAt)',
  returned: `groupArray(${unixMs('receivedAt')})`,
};
/** Time and arrival of the first and of the last trade. */
const PLACES: readonly ReturnedColumn[] = [
  { name: 'lastMs', stored: OPEN_MS, joined: 'max(lastMs)', returned: 'groupArray(toFloat64(lastMs))' },
  { name: 'opened', stored: place('open'), joined: 'argMin(opened, stored.firstMs)', returned: 'groupArray(opened)' },
  { name: 'closed', stored: place('close'), joined: 'argMax(closed, stored.firstMs)', returned: 'groupArray(closed)' },
];

/** A column of decimals is returned as one text, which costs less than a text for each of them. */
function decimals(name: DecimalColumn, joined: string): ReturnedColumn {
  return { name, stored: name, joined, returned: `arrayStringConcat(groupArray(toString(${name})), ' ')` };
}

function place(side: 'open' | 'close'): string {
  return `[if(isNull(${side}Ts), NULL, ${unixMs(`assumeNotNull(${side}Ts)`)}), toFloat64(${side}Arrival)]`;
}

/** Start of the bucket of a bar. */
const BUCKET = 'intDiv(stored.firstMs, {stepMs:Int64}) * {stepMs:Int64}';
/** Start of the bucket, or the point within it; of a bar that is longer than a minute its own start. */
const PART = `greatest(${BUCKET},
         if(intervalMs = ${MINUTE_MS}, roundDown(stored.firstMs, {points:Array(Int64)}), stored.firstMs))`;

/** A candle as a row of `PackedCandles`. */
const ROW = `concat('${ROW_START}', ${COLUMNS.map(({ name }) => `toString(bars.${name}), '${FIELD_END}'`).join(', ')})`;

/** Columns as they are returned. */
type ReturnedColumns = Omit<BarColumns, DecimalColumn | keyof BarInstrument | 'source' | 'intervalMs'> &
  Readonly<Record<DecimalColumn, string>>;
type ReturnedBars = ReturnedColumns & Pick<BarColumns, keyof BarInstrument | 'source' | 'intervalMs'>;

/** Which bars are read. */
export interface BarsToRead {
  readonly instruments: readonly BarInstrument[];
  /** Lengths of the stored bars, ms. */
  readonly lengths: readonly number[];
  /** Length of the buckets, ms. */
  readonly stepMs: number;
  /** Times of whole buckets. */
  readonly spans: readonly Span[];
  /** Times between which bars may be joined. */
  readonly points: readonly number[];
}

/**
 * Reads bars with trades. Minutes of one source in one bucket are joined by the store as far as they are between two
 * `points`: there are too many of them to select one by one. Only bars of several instruments have the exact moments of
 * their first and last trades, which decide how they are joined.
 */
export async function readSourceBars(store: Reader, { spans, ...wanted }: BarsToRead): Promise<BarOfInstrument[]> {
  const parts = spans.filter(({ from, until }) => from < until).map((span) => query(store, barsIn(span, wanted)));
  return (await Promise.all(parts)).flat();
}

function barsIn(span: Span, wanted: Omit<BarsToRead, 'spans'>): Query<BarOfInstrument[]> {
  const { instruments, lengths, points, stepMs } = wanted;
  const hasPlaces = instruments.length > 1;
  const keys = [...(hasPlaces ? ['provider', 'coin'] : []), 'source', 'intervalMs'];
  const columns = [...COLUMNS, RECEIVED_AT, ...(hasPlaces ? PLACES : [])];
  const stored = storedBars(instruments, keys, columns);
  // Bars of a minute are alone in their bucket, so that nothing is joined.
  const bars = stepMs === MINUTE_MS ? stored : joinedBars(stored, keys, columns, PART);
  const returned = keys.map((key) => (key === 'intervalMs' ? 'toFloat64(intervalMs) AS intervalMs' : key));
  return {
    name: 'candles',
    sql: `SELECT ${[...returned, ...listOf(columns, 'returned')].join(', ')} FROM (${bars}) AS bars GROUP BY ${keys.join(', ')}`,
    parameters: { ...parametersOf(instruments), lengths, stepMs, points: [0, ...points], ...span },
    parse: (found: ReturnedBars[]) =>
      found.flatMap((each) => {
        const columns = { ...instruments[0]!, ...each, ...textsIn(each) };
        return columns.firstMs.map((_, at) => new StoredBar(columns, at));
      }),
  };
}

/**
 * Reads the candles of a span in which only the bars of one source count. Bars are joined by their bucket alone: to join
 * a million minutes by source, length and points as well takes half as long again.
 */
export function readPreferredCandles(
  store: Reader,
  instrument: BarInstrument,
  { source, intervalMs, from, until }: PreferredSpan,
  stepMs: number,
): Promise<PackedCandles> {
  const stored = `${storedBars([instrument], [], COLUMNS)} AND source = {source:String}`;
  // The first minute of a bucket would only be calculated to find that bucket again.
  const columns = COLUMNS.map((column) => (column.name === 'firstMs' ? { ...column, joined: BUCKET } : column));
  const bars = stepMs === intervalMs ? stored : joinedBars(stored, [], columns, BUCKET);
  return query(store, {
    name: 'candles',
    sql: `SELECT arrayStringConcat(arraySort((text, start) -> start, groupArray(${ROW}), groupArray(bars.firstMs))) AS packed,
       toFloat64(count()) AS counted FROM (${bars}) AS bars`,
    parameters: { ...parametersOf([instrument]), lengths: [intervalMs], stepMs, source, from, until },
    // It is one row, also without bars.
    parse: ([found]: { packed: string; counted: number }[]) =>
      new PackedCandles(source, new PackedRows(found!.packed, found!.counted)),
  });
}

/** The bars of one source as columns, with the start of their bucket. */
export function bucketBars(instruments: readonly BarInstrument[], isJoined: boolean): string {
  const keys = ['provider', 'coin'];
  const columns = [{ name: 'bucket', stored: OPEN_MS, joined: BUCKET }, ...COLUMNS, ...PLACES];
  const stored = `${storedBars(instruments, keys, columns)} AND source = {source:String}`;
  return isJoined ? joinedBars(stored, keys, columns, BUCKET) : stored;
}

function storedBars(
  instruments: readonly BarInstrument[],
  keys: readonly string[],
  columns: readonly Column[],
): string {
  return `SELECT ${[...keys, ...listOf(columns, 'stored')].join(', ')}
     FROM candle_bars FINAL WHERE ${isOneOf(instruments)} AND ${IN_BUCKETS} AND trades > 0`;
}

function joinedBars(stored: string, keys: readonly string[], columns: readonly Column[], part: string): string {
  return `SELECT ${[...keys, ...listOf(columns, 'joined')].join(', ')} FROM (${stored}) AS stored
     GROUP BY ${[...keys, part].join(', ')}`;
}

function listOf<F extends string>(
  columns: readonly ({ readonly name: string } & Readonly<Record<F, string>>)[],
  form: F,
) {
  return columns.map((column) => `${column[form]} AS ${column.name}`);
}

/** The texts of each column of decimals. */
function textsIn(found: ReturnedColumns): Record<DecimalColumn, string[]> {
  const [open, high, low] = [found.open.split(' '), found.high.split(' '), found.low.split(' ')];
  return { open, high, low, close: found.close.split(' '), volume: found.volume.split(' ') };
}
