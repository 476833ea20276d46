/** The tables of candles in memory, for tests that read very many histories: answers the queries of `read-source-bars.ts`. */
import type { Parameter } from '#infra/store/store';
import { concatenate } from '#schemas/domain/candles/bars';
import { type SourceBar, sourceBarOf } from '#schemas/domain/candles/select';
import { MINUTE_MS } from '#schemas/domain/candles/sources';
import { formatDecimal } from '#schemas/domain/decimal';
import type { Candle, CandleRange } from '#schemas/topics/candles';
import { FIELD_END, ROW_START } from '../queries/packed-rows.ts';
import type { Reader } from '../queries/query.ts';
import { DECIMAL_COLUMNS } from '../queries/stored-bar.ts';

interface Arguments {
  readonly from: number;
  readonly until: number;
  readonly lengths: readonly number[];
  /** Absent if bars of all sources are wanted. */
  readonly source?: string;
  readonly rows: number;
  readonly stepMs: number;
  /** Absent if bars of one source are wanted. */
  readonly points?: readonly number[];
}

export class CandleStore implements Reader {
  /** Names of the queries that were answered. */
  readonly queried: string[] = [];
  private bars: readonly Candle[] = [];
  private ranges: readonly CandleRange[] = [];

  /** Adds versions of bars; as in the table, the last one of a bar counts. */
  addBars(bars: readonly Candle[]): void {
    this.bars = lastOfEach([...this.bars, ...bars], (bar) => [...keyOf(bar), bar.openTime]);
  }

  /** Adds versions of ranges; as in the table, the last one of a range counts. */
  addRanges(ranges: readonly CandleRange[]): void {
    this.ranges = lastOfEach([...this.ranges, ...ranges], (range) => [...keyOf(range), range.id]);
  }

  async query<T>(sql: string, parameters: Readonly<Record<string, Parameter>> = {}, name = ''): Promise<T[]> {
    this.queried.push(name);
    const wanted = parameters as unknown as Arguments;
    const isOneOf = ({ provider, coin }: Pick<Candle, 'provider' | 'coin'>) =>
      Object.keys(parameters).some(
        (key) =>
          key.startsWith('coin') && parameters[key] === coin && parameters[`provider${key.slice(4)}`] === provider,
      );
    if (name === 'candle-ranges') return this.rangesOf(wanted, isOneOf) as T[];
    const bars = this.bars.filter((bar) => isOneOf(bar) && isWithin(bar, wanted));
    if (name === 'candles-range') return [timeOfRow(bars, sql.includes('openTime ASC'), wanted.rows)] as T[];
    if (name === 'candles')
      return (wanted.source === undefined ? columnsOf(bars, wanted) : [packed(bars, wanted)]) as T[];
    throw new Error(`no answer to the query ${name}`);
  }

  private rangesOf({ from, until }: Arguments, isOneOf: (range: CandleRange) => boolean): readonly CandleRange[] {
    return this.ranges.filter(
      (range) =>
        isOneOf(range) && range.kind !== 'none' && range.from < until && (range.until === null || range.until >= from),
    );
  }
}

const keyOf = ({ provider, coin, source, intervalMs }: Candle | CandleRange) => [provider, coin, source, intervalMs];

function lastOfEach<T>(records: readonly T[], identify: (record: T) => readonly unknown[]): T[] {
  return [...new Map(records.map((record) => [JSON.stringify(identify(record)), record])).values()];
}

function isWithin({ source, intervalMs, openTime }: Candle, wanted: Arguments): boolean {
  const { lengths, from, until } = wanted;
  return (wanted.source ?? source) === source && lengths.includes(intervalMs) && openTime >= from && openTime < until;
}

function timeOfRow(bars: readonly Candle[], oldestFirst: boolean, rows: number) {
  const times = bars.map(({ openTime }) => openTime).sort((a, b) => (oldestFirst ? a - b : b - a));
  const scanned = times.slice(0, rows);
  return { time: scanned.at(-1) ?? 0, counted: scanned.length };
}

/** The candles of one source, as the store returns them: one row, also without bars. */
function packed(bars: readonly Candle[], wanted: Arguments) {
  const rows = rowsOf(bars, wanted).sort((a, b) => a.firstMs - b.firstMs);
  const texts = rows.map((row) =>
    [row.firstMs, ...DECIMAL_COLUMNS.map((name) => row[name]), row.trades].map((field) => `${field}${FIELD_END}`),
  );
  return { packed: texts.map((fields) => ROW_START + fields.join('')).join(''), counted: rows.length };
}

/** The columns of the bars of each source, as the store returns them. */
function columnsOf(bars: readonly Candle[], wanted: Arguments): unknown[] {
  const rows = rowsOf(bars, wanted);
  const sources = new Map<string, ReturnType<typeof rowsOf>>();
  for (const row of rows) {
    const key = JSON.stringify([row.provider, row.coin, row.source, row.intervalMs]);
    const others = sources.get(key);
    if (others) others.push(row);
    else sources.set(key, [row]);
  }
  return [...sources.values()].map((rows) => {
    const { provider, coin, source, intervalMs, ...first } = rows[0]!;
    const names = Object.keys(first) as (keyof typeof first)[];
    const columns = Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
    for (const name of DECIMAL_COLUMNS) Object.assign(columns, { [name]: rows.map((row) => row[name]).join(' ') });
    return { provider, coin, source, intervalMs, ...columns };
  });
}

/** Joins bars as the store does: those of one source and bucket between two points. */
function rowsOf(bars: readonly Candle[], { stepMs, points = [], source: preferred }: Arguments) {
  const groups = new Map<string, { readonly of: Candle; readonly bars: SourceBar[] }>();
  for (const bar of bars) {
    if (bar.trades === 0) continue;
    const { openTime, intervalMs } = bar;
    const part = intervalMs === MINUTE_MS ? points.filter((point) => point <= openTime).length : openTime;
    const key = JSON.stringify([...keyOf(bar), Math.floor(openTime / stepMs), part]);
    const group = groups.get(key) ?? { of: bar, bars: [] };
    group.bars.push(sourceBarOf(bar));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ of: { provider, coin, source, intervalMs }, bars: found }) => {
    const sorted = found.sort((a, b) => a.openTime - b.openTime);
    const { openTime } = sorted[0]!;
    const { open, high, low, close, volume, trades, openAt, closeAt } = concatenate(sorted.map(({ bar }) => bar))!;
    return {
      ...{ provider, coin, source, intervalMs, trades },
      firstMs: preferred === undefined ? openTime : Math.floor(openTime / stepMs) * stepMs,
      lastMs: sorted.at(-1)!.openTime,
      receivedAt: Math.max(...sorted.map(({ receivedAt }) => receivedAt)),
      open: formatDecimal(open),
      high: formatDecimal(high),
      low: formatDecimal(low),
      close: formatDecimal(close),
      volume: formatDecimal(volume),
      opened: [openAt.arrival === null ? null : openAt.from, openAt.arrival],
      closed: [closeAt.arrival === null ? null : closeAt.from, closeAt.arrival],
    };
  });
}
