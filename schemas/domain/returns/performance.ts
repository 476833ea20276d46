/** What the newest series of several accounts state together (contract, Money: portfolio, positions, batch). */
import { cutCurve, dataThrough, mergeCurves } from './merge-series.ts';
import { type CurvePoint, curveOf, type SeriesPoint, type SeriesState, seriesState } from './series.ts';

/** The newest successful observation of a series. */
export interface ObservedSeries {
  /** Unix ms; null before the first one. */
  readonly observedAt: number | null;
  readonly points: readonly SeriesPoint[];
}

export interface WindowPerformance extends SeriesState {
  /** In the order of the accounts; a series that is not ready has no points. */
  readonly series: readonly (SeriesState & { readonly curve: readonly CurvePoint[] })[];
  /** Null unless every series is ready. */
  readonly merged: readonly CurvePoint[] | null;
}

export interface Performance {
  /** No curve has points after this second; null without a point. */
  readonly dataThrough: number | null;
  readonly windows: readonly WindowPerformance[];
}

const WORST = ['unavailable', 'cached_stale', 'cached_fresh', 'fresh'] as const;

/**
 * @param windows for each window the series of the accounts; null for an account that is not followed.
 * @param now unix ms.
 * @param readyMs until when a series is ready.
 */
export function performanceOf(
  windows: readonly (readonly (ObservedSeries | null)[])[],
  now: number,
  readyMs?: number,
): Performance {
  const read = windows.map((series) =>
    series.map((one) => {
      const state = seriesState(one?.observedAt ?? null, now, readyMs);
      return { ...state, curve: state.status === 'ready' ? curveOf(one!.points) : [] };
    }),
  );
  const through = dataThrough(read.flatMap((series) => series.map(({ curve }) => curve)));
  return {
    dataThrough: through,
    windows: read.map((all) => {
      const series = all.map((one) => ({ ...one, curve: cutCurve(one.curve, through) }));
      const isReady = series.every(({ status }) => status === 'ready');
      return {
        status: isReady ? 'ready' : 'unavailable',
        quality: isReady ? 'authoritative' : 'degraded',
        dataStatus: WORST.find((status) => series.some(({ dataStatus }) => dataStatus === status)) ?? 'unavailable',
        series,
        merged: isReady ? mergeCurves(series.map(({ curve }) => curve)) : null,
      };
    }),
  };
}
