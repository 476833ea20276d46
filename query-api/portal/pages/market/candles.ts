/** What the charts of a market draw from its bars; pure. */
import { digitsOf } from '../../format/number.ts';
import type { Note, TimeChart } from '../../format/series.ts';
import type { Span } from '../../format/span.ts';

export interface Bar {
  readonly ts: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** Left out for spot pairs. */
  readonly source?: string | null;
}

/** Where bars come from, in the order in which REST prefers them. */
export const SOURCES: Note['meanings'] = [
  ['venue_node', 'our recorded trades'],
  ['official_api', 'bars of the venue'],
  ['external_exchange', 'bars of another exchange'],
  [null, 'trades may be missing'],
];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const INTERVALS = [
  ['1m', '1 minute', MINUTE],
  ['5m', '5 minutes', 5 * MINUTE],
  ['15m', '15 minutes', 15 * MINUTE],
  ['1h', '1 hour', HOUR],
  ['4h', '4 hours', 4 * HOUR],
  ['1d', '1 day', DAY],
] as const;

const RANGES = [
  ['3h', '3 hours', 3 * HOUR],
  ['12h', '12 hours', 12 * HOUR],
  ['1d', '1 day', DAY],
  ['7d', '7 days', 7 * DAY],
  ['30d', '30 days', 30 * DAY],
  ['180d', '180 days', 180 * DAY],
  ['2y', '2 years', 730 * DAY],
] as const;

/** Bars that a chart shows: by choice at least and at most, and after zooming. */
const [BARS_CHOSEN_MIN, BARS_CHOSEN_MAX] = [90, 2_100];
const [BARS_MIN, BARS_MAX] = [10, 2_400];

/** The ranges that show a sensible number of bars of an interval, the shortest first. */
export function rangesOf(stepMs: number): readonly (readonly [name: string, text: string, ms: number])[] {
  return RANGES.filter(([, , ms]) => ms >= BARS_CHOSEN_MIN * stepMs && ms <= BARS_CHOSEN_MAX * stepMs);
}

/** What may be shown of bars of an interval. */
export const limitsOf = (stepMs: number, latest: number) => ({
  narrowest: BARS_MIN * stepMs,
  widest: BARS_MAX * stepMs,
  latest,
});

/** A range up to the newest bar; up to a time if there is no bar. */
export function newestSpan(bars: readonly Bar[], stepMs: number, rangeMs: number, now: number): Span {
  const to = (bars.at(-1)?.ts ?? Math.floor(now / stepMs) * stepMs) + stepMs;
  return { from: to - rangeMs, to };
}

/** The bars by bucket; null before each bar that does not follow the one before it, so that the gap is drawn. */
function withGaps(bars: readonly Bar[], stepMs: number): readonly { readonly ts: number; readonly bar: Bar | null }[] {
  return bars.flatMap((bar, index) => {
    const previous = bars[index - 1];
    const isGap = previous !== undefined && bar.ts > previous.ts + stepMs;
    return [...(isGap ? [{ ts: previous.ts + stepMs, bar: null }] : []), { ts: bar.ts, bar }];
  });
}

type Field = 'open' | 'high' | 'low' | 'close' | 'volume';

function chartOf(
  bars: readonly Bar[],
  stepMs: number,
  fields: readonly (readonly [label: string, field: Field])[],
): TimeChart {
  const points = withGaps(bars, stepMs);
  const hasSource = bars.some(({ source }) => source !== undefined);
  return {
    times: points.map(({ ts }) => ts),
    stepMs,
    series: fields.map(([label, field]) => ({ label, field, values: points.map(({ bar }) => bar?.[field] ?? null) })),
    ...(hasSource
      ? {
          note: {
            label: 'Source',
            field: 'source',
            values: points.map(({ bar }) => bar?.source ?? null),
            meanings: SOURCES,
          },
        }
      : {}),
  };
}

export const candlesOf = (bars: readonly Bar[], stepMs: number): TimeChart =>
  chartOf(bars, stepMs, [
    ['Open', 'open'],
    ['High', 'high'],
    ['Low', 'low'],
    ['Close', 'close'],
  ]);

export const volumeOf = (bars: readonly Bar[], stepMs: number): TimeChart =>
  chartOf(bars, stepMs, [['Volume', 'volume']]);

/** Decimals of the prices and of the volumes of bars. */
export function digitsOfBars(bars: readonly Bar[]): { readonly price: number; readonly volume: number } {
  return {
    price: digitsOf(bars.flatMap(({ open, high, low, close }) => [open, high, low, close])),
    volume: digitsOf(bars.map(({ volume }) => volume)),
  };
}
