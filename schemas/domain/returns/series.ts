/** A series of an account: its value and its PnL over a window, as the venue or our snapshots state them. */
import type { Decimal } from '../decimal.ts';

/** Windows of curves, and how far each reaches back, ms. */
export const WINDOW_MS = {
  '1D': 86_400_000,
  '1W': 7 * 86_400_000,
  '1M': 30 * 86_400_000,
  ALL: Number.POSITIVE_INFINITY,
} as const;
export type Window = keyof typeof WINDOW_MS;
export const WINDOWS = Object.keys(WINDOW_MS) as [Window, ...Window[]];

/** Which series of a venue is used. */
export const VENUE_SOURCES = ['venue_a_portfolio', 'venue_b_user_pnl'] as const;
export type VenueSource = (typeof VENUE_SOURCES)[number];
export const SOURCES = { venue_a: 'venue_a_portfolio', venue_b: 'venue_b_user_pnl' } as const;

export interface SeriesPoint {
  /** Unix ms, exact: a flow of the same second may lie before or after the point. */
  readonly ts: number;
  /** Value of the account, USD; null where the venue does not state it. */
  readonly nav: Decimal | null;
  /** Profit since the first point of the series, USD. */
  readonly pnl: Decimal;
}

/** A point of a curve. `netDeposits` = `nav` − `pnl`, so it is the value at the first point and changes by flows only. */
export interface CurvePoint {
  /** Unix seconds. */
  readonly t: number;
  readonly nav: Decimal | null;
  readonly netDeposits: Decimal | null;
  /** Profit since the first point of the curve. */
  readonly pnl: Decimal;
}

/** Returns the curve of a series. Of several points in one second the last counts; the first point has the PnL 0. */
export function curveOf(points: readonly SeriesPoint[]): CurvePoint[] {
  const last = new Map<number, SeriesPoint>();
  for (const point of points) last.set(Math.floor(point.ts / 1000), point);
  const first = last.values().next().value?.pnl ?? 0n;
  return [...last].map(([t, point]) => {
    const pnl = (point.pnl - first) as Decimal;
    return { t, nav: point.nav, netDeposits: netDeposits(point.nav, pnl), pnl };
  });
}

/** The one rule for net deposits; null where the value is unknown. */
export function netDeposits(nav: Decimal | null, pnl: Decimal): Decimal | null {
  return nav === null ? null : ((nav - pnl) as Decimal);
}

/** A series is read again when it is older, ms (contract, Money: NAV, curves, returns). */
export const SERIES_LIFETIME_MS = 60_000;

/** Until when a successful observation counts as fresh, and until when its window is ready, ms. */
export const FRESH_MS = 10 * 60_000;
export const READY_MS = 70 * 60_000;

export type DataStatus = 'fresh' | 'cached_fresh' | 'cached_stale' | 'unavailable';

/** Whether a series may be returned as the current one. */
export interface SeriesState {
  readonly status: 'ready' | 'unavailable';
  readonly quality: 'authoritative' | 'degraded';
  readonly dataStatus: DataStatus;
}

/**
 * @param observedAt time of the newest successful observation, ms; null without one.
 * @param readyMs until when it is ready; a recording has no such limit.
 */
export function seriesState(observedAt: number | null, now: number, readyMs: number = READY_MS): SeriesState {
  const age = now - (observedAt ?? Number.NaN);
  if (observedAt === null || age > readyMs)
    return { status: 'unavailable', quality: 'degraded', dataStatus: 'unavailable' };
  return { status: 'ready', quality: 'authoritative', dataStatus: age <= FRESH_MS ? 'fresh' : 'cached_fresh' };
}
