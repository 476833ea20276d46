/** What charts draw, from what REST returns. */

export interface ChartSeries {
  readonly label: string;
  /** One for each place; null draws a gap. */
  readonly values: readonly (number | null)[];
}

interface ChartBase {
  readonly series: readonly ChartSeries[];
  /** A text for each place that only the table shows; null is unknown. */
  readonly note?: { readonly label: string; readonly values: readonly (string | null)[] };
}

/** What a chart over time draws. */
export interface TimeChart extends ChartBase {
  /** Unix ms, ascending. */
  readonly times: readonly number[];
}

/** What a chart over numbers draws, such as sizes by price. */
export interface NumberChart extends ChartBase {
  readonly axis: {
    readonly label: string;
    readonly digits: number;
    /** Ascending. */
    readonly values: readonly number[];
  };
}

export type ChartData = TimeChart | NumberChart;

/** Where the values of a chart stand: unix ms, or the numbers of its axis. */
export const placesOf = (data: ChartData): readonly number[] => ('times' in data ? data.times : data.axis.values);

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
}

/** The closing price of each leg by bucket; a bucket without a trade of a leg is a gap. */
export function pricesOf(candles: readonly Candle[]): TimeChart {
  const times = [...new Set(candles.map(({ ts }) => ts))].sort((a, b) => a - b);
  const at = new Map(times.map((time, index) => [time, index]));
  const legs = new Map<string, { label: string; values: (number | null)[] }>();
  for (const { provider, marketId, ts, close } of candles) {
    const id = `${provider}.${marketId}`;
    let leg = legs.get(id);
    if (leg === undefined) {
      leg = { label: provider, values: times.map(() => null) };
      legs.set(id, leg);
    }
    leg.values[at.get(ts)!] = close;
  }
  return { times, series: [...legs.values()] };
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
