/** Plans which klines to request. Pure. */
import { INTERVALS } from '#schemas/domain/candles/sources';
import { type Span, subtract } from '#schemas/domain/candles/spans';
import { KLINES_MAX, type KlineCoin, type KlineInterval } from '#schemas/venues/venue-a/klines';
import { CLOSED_AFTER_MS } from './declaration.ts';

const DAY_MS = 86_400_000;

/** Klines of one coin and one length. */
export interface KlineSeries {
  readonly coin: KlineCoin;
  readonly interval: KlineInterval;
  /** Since when the exchange lists the coin, unix ms. */
  readonly onboardedAt: number;
  /** The ranges that were loaded: a result of `union`. */
  readonly loaded: readonly Span[];
}

export interface PlannedRequest extends Span {
  readonly coin: KlineCoin;
  readonly interval: KlineInterval;
}

/** The requests for what is missing of the last days, the newest klines first. */
export function planRequests(series: readonly KlineSeries[], days: number, now: number): readonly PlannedRequest[] {
  return series
    .flatMap(({ coin, interval, onboardedAt, loaded }) => {
      const stepMs = INTERVALS[interval];
      const floor = (time: number) => Math.floor(time / stepMs) * stepMs;
      const wanted = {
        from: floor(Math.max(now - days * DAY_MS, onboardedAt)),
        until: floor(now - CLOSED_AFTER_MS),
      };
      if (wanted.from >= wanted.until) return [];
      const missing = subtract([wanted], loaded);
      return missing.flatMap((span) => divide(span, KLINES_MAX * stepMs)).map((span) => ({ coin, interval, ...span }));
    })
    .sort((a, b) => b.until - a.until);
}

/** Divides a span into spans of a length, the newest first; the last one may be shorter. */
function divide({ from, until }: Span, lengthMs: number): Span[] {
  const spans: Span[] = [];
  for (let end = until; end > from; end -= lengthMs) spans.push({ from: Math.max(from, end - lengthMs), until: end });
  return spans;
}
