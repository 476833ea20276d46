/** What charts draw, from what REST returns. */
import { legNames } from './leg-names.ts';
import type { Span } from './span.ts';

export interface ChartSeries {
  readonly label: string;
  /** One for each place; null draws a gap. */
  readonly values: readonly (number | null)[];
  /** The field of the REST response, where the values are those of one. */
  readonly field?: string;
  /** Decimals in the table; left out for those of the chart. */
  readonly digits?: number;
}

/** A text for each place, shown in the table, and below candles as strips; null is unknown. */
export interface Note {
  readonly label: string;
  readonly values: readonly (string | null)[];
  /** The field of the REST response. */
  readonly field: string;
  /** What each value means, in the order of the strips. */
  readonly meanings: readonly (readonly [value: string | null, meaning: string])[];
}

export interface Mark {
  readonly label: string;
  /** Unix ms, or a number of the axis. */
  readonly at: number;
}

interface ChartBase {
  readonly series: readonly ChartSeries[];
  /** Further values of each place, which stand in the table alone. */
  readonly columns?: readonly ChartSeries[];
  readonly note?: Note;
  /** Places of the lower axis that have a name. */
  readonly marks?: readonly Mark[];
}

/** What a chart over time draws. */
export interface TimeChart extends ChartBase {
  /** Unix ms, ascending. */
  readonly times: readonly number[];
  /** Length of the buckets whose values they are, where they are those of buckets. */
  readonly stepMs?: number;
  /** Times that are shaded. */
  readonly shades?: readonly Span[];
}

/** What a chart over numbers draws, such as sizes by price. */
export interface NumberChart extends ChartBase {
  readonly axis: {
    readonly label: string;
    readonly digits: number;
    /** Ascending. */
    readonly values: readonly number[];
  };
  /** Why a place has no values; null for those that have some. */
  readonly missing?: readonly (string | null)[];
}

export type ChartData = TimeChart | NumberChart;

/** Where the values of a chart stand: unix ms, or the numbers of its axis. */
export const placesOf = (data: ChartData): readonly number[] => ('times' in data ? data.times : data.axis.values);

/** The part of a chart over time that lies in a span. */
export function partOf(data: TimeChart, { from, to }: Span): TimeChart {
  const first = data.times.findIndex((time) => time >= from);
  const [start, end] = [first < 0 ? data.times.length : first, data.times.findLastIndex((time) => time < to) + 1];
  const part = <T>(values: readonly T[]) => values.slice(start, Math.max(start, end));
  return {
    ...data,
    times: part(data.times),
    series: data.series.map((series) => ({ ...series, values: part(series.values) })),
    ...(data.note ? { note: { ...data.note, values: part(data.note.values) } } : {}),
  };
}

/** A strip below candles: the bars of one source. */
export interface Strip {
  readonly source: string | null;
  readonly meaning: string;
  /** Position of the source in all meanings, which decides how its strip is drawn. */
  readonly form: number;
}

/** True for places that have a value. */
const hasValue = ({ series }: ChartData, index: number) => series.some(({ values }) => values[index] != null);

/** The strips of the sources that the bars of a chart have; none without a note. */
export function stripsOf(data: ChartData): readonly Strip[] {
  const { note } = data;
  if (note === undefined) return [];
  const present = new Set(note.values.filter((_, index) => hasValue(data, index)));
  return note.meanings
    .map(([source, meaning], form) => ({ source, meaning, form }))
    .filter(({ source }) => present.has(source));
}

/** The number of bars of a source. */
export function countBars(data: ChartData, source: string | null): number {
  return (data.note?.values ?? []).filter((value, index) => value === source && hasValue(data, index)).length;
}

export function countPoints({ series }: ChartData): number {
  return series.reduce((sum, { values }) => sum + values.filter((value) => value !== null).length, 0);
}

/** Points without a value between two with one. */
export function countGaps({ series }: ChartData): number {
  let gaps = 0;
  for (const { values } of series) {
    let isAfterValue = false;
    let isOpen = false;
    for (const value of values) {
      if (value === null) isOpen = isAfterValue;
      else {
        if (isOpen) gaps++;
        isOpen = false;
        isAfterValue = true;
      }
    }
  }
  return gaps;
}

/** A bar of one market. */
export interface Candle {
  readonly provider: string;
  readonly marketId: string;
  /** Start of the bucket, unix ms. */
  readonly ts: number;
  readonly close: number;
  /** Number of trades. */
  readonly trades: number;
}

/**
 * The closing price of each leg by bucket, with its number of trades in the table. A bucket without a trade of a leg is a
 * gap, also one without any trade.
 *
 * @param stepMs length of a bucket.
 */
export function pricesOf(candles: readonly Candle[], stepMs: number): TimeChart {
  const times = withGapTimes(
    [...new Set(candles.map(({ ts }) => ts))].sort((a, b) => a - b),
    stepMs,
  );
  const at = new Map(times.map((time, index) => [time, index]));
  const legs = [...new Map(candles.map((candle) => [legKey(candle), candle])).values()];
  const names = legNames(legs);
  const valuesOf = (leg: Candle, read: (candle: Candle) => number) => {
    const values = times.map((): number | null => null);
    for (const candle of candles) if (legKey(candle) === legKey(leg)) values[at.get(candle.ts)!] = read(candle);
    return values;
  };
  return {
    times,
    series: legs.map((leg, index) => ({ label: names[index]!, values: valuesOf(leg, ({ close }) => close) })),
    columns: legs.map((leg, index) => ({
      label: `Trades, ${names[index]}`,
      field: 'trades',
      digits: 0,
      values: valuesOf(leg, ({ trades }) => trades),
    })),
  };
}

const legKey = ({ provider, marketId }: Candle): string => `${provider}.${marketId}`;

/** Adds one time to each gap between buckets, where no series has a value. */
function withGapTimes(times: readonly number[], stepMs: number): number[] {
  return times.flatMap((time, index) => {
    const previous = times[index - 1];
    return previous !== undefined && time > previous + stepMs ? [previous + stepMs, time] : [time];
  });
}

const DAY_MS = 86_400_000;

/** Units of all SKUs by day, for some days up to that of `now`; a day without use has 0. */
export function unitsByDay(
  usage: readonly { readonly day: string; readonly units: number }[],
  days: number,
  now: number,
): TimeChart {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const times = Array.from({ length: days }, (_, index) => today - (days - 1 - index) * DAY_MS);
  const totals = new Map<string, number>();
  for (const { day, units } of usage) totals.set(day, (totals.get(day) ?? 0) + units);
  const values = times.map((time) => totals.get(new Date(time).toISOString().slice(0, 10)) ?? 0);
  return { times, series: [{ label: 'Units', values }] };
}

/** How long each attempt took at its time, the successful ones and the others as a series each. */
export function attemptsOf(
  attempts: readonly { readonly at: string; readonly status: number | null; readonly durationMs: number }[],
): TimeChart {
  const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;
  const valuesOf = (success: boolean) =>
    attempts.map(({ status, durationMs }) => (isSuccess(status) === success ? durationMs : null));
  return {
    times: attempts.map(({ at }) => Date.parse(at)),
    series: [
      { label: 'Delivered', values: valuesOf(true) },
      { label: 'Failed', values: valuesOf(false) },
    ],
  };
}
