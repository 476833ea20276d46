/** A series as the log stores it. */
import type { AccountSeries } from '../../topics/account-series.ts';
import { formatDecimal, parseDecimal } from '../decimal.ts';
import type { SeriesPoint, VenueSource, Window } from './series.ts';

export function seriesRecord(
  account: string,
  window: Window,
  source: VenueSource,
  points: readonly SeriesPoint[],
  observedAt: number,
): AccountSeries {
  return {
    account,
    window,
    source,
    observedAt,
    points: points.map(({ ts, nav, pnl }) => ({
      ts,
      nav: nav === null ? null : formatDecimal(nav),
      pnl: formatDecimal(pnl),
    })),
  };
}

export function pointsOf({ points }: Pick<AccountSeries, 'points'>): SeriesPoint[] {
  return points.map(({ ts, nav, pnl }) => ({
    ts,
    nav: nav === null ? null : parseDecimal(nav),
    pnl: parseDecimal(pnl),
  }));
}
