/** What the charts of a market draw from its bars; pure. */
import type { TimeChart } from '../../format/series.ts';

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

export const INTERVALS = [
  ['1m', '1 minute', 60_000],
  ['5m', '5 minutes', 300_000],
  ['15m', '15 minutes', 900_000],
  ['1h', '1 hour', 3_600_000],
  ['4h', '4 hours', 14_400_000],
  ['1d', '1 day', 86_400_000],
] as const;

/** The bars by bucket; null before each bar that does not follow the one before it, so that the gap is drawn. */
function withGaps(bars: readonly Bar[], stepMs: number): readonly { readonly ts: number; readonly bar: Bar | null }[] {
  return bars.flatMap((bar, index) => {
    const previous = bars[index - 1];
    const isGap = previous !== undefined && bar.ts > previous.ts + stepMs;
    return [...(isGap ? [{ ts: previous.ts + stepMs, bar: null }] : []), { ts: bar.ts, bar }];
  });
}

function chartOf(
  bars: readonly Bar[],
  stepMs: number,
  fields: readonly (readonly [label: string, field: 'open' | 'high' | 'low' | 'close' | 'volume'])[],
): TimeChart {
  const points = withGaps(bars, stepMs);
  const hasSource = bars.some(({ source }) => source !== undefined);
  return {
    times: points.map(({ ts }) => ts),
    series: fields.map(([label, field]) => ({ label, values: points.map(({ bar }) => bar?.[field] ?? null) })),
    ...(hasSource ? { note: { label: 'Source', values: points.map(({ bar }) => bar?.source ?? null) } } : {}),
  };
}

export const candlesOf = (bars: readonly Bar[], stepMs: number) =>
  chartOf(bars, stepMs, [
    ['Close', 'close'],
    ['High', 'high'],
    ['Low', 'low'],
    ['Open', 'open'],
  ]);

export const volumeOf = (bars: readonly Bar[], stepMs: number) => chartOf(bars, stepMs, [['Volume', 'volume']]);
