/** The return of an account from what the service knows: its snapshots, and the series of its venue. Pure. */
import type { RoiPoint } from '#schemas/domain/returns/chain-linked';
import type { FlowProblem } from '#schemas/domain/returns/flows';
import { calculateRoi, type Roi, type RoiInput } from '#schemas/domain/returns/roi';
import type { SeriesPoint } from '#schemas/domain/returns/series';
import { WINDOWS } from '#schemas/domain/returns/series';
import { pointsOf } from '#schemas/domain/returns/series-record';
import { impliedNavCurve, type NavPoint, pointAtMark } from '#schemas/domain/returns/snapshot-curve';
import { seriesKey } from '#schemas/topics/account-series';
import type { ReturnInputs } from '../queries/read-return-inputs.ts';
import type { AccountSeriesView } from '../views/account-series.ts';
import type { CurrentValue } from './current-value.ts';

/** The window and the current value, as of `calculateRoi`. */
export type RoiWindow = Pick<RoiInput, 'from' | 'to' | 'current'>;

/**
 * Returns the return of a window. A snapshot anchors nothing while the flows between its mark and its value are not known;
 * if the window has no other anchor, this is why it is unavailable. So it is if the window begins with the first point of
 * all and that is such a snapshot, from the time on from which flows are known.
 * @param series the venue's series of the account, the finest first; points without a value anchor nothing.
 */
export function accountRoi(
  { snapshots, history }: ReturnInputs,
  series: readonly (readonly SeriesPoint[])[],
  window: RoiWindow,
): Roi {
  const ofSnapshots: RoiPoint[] = [];
  const unknown: (RoiPoint & { readonly problem: FlowProblem })[] = [];
  for (const snapshot of snapshots) {
    const point = pointAtMark(snapshot, history);
    if (typeof point !== 'string') ofSnapshots.push(point);
    else unknown.push({ ts: snapshot.hour, nav: snapshot.nav, pnl: null, problem: point });
  }
  const ofVenue = series.map((points) => points.flatMap((point) => withValue(point) ?? []));
  const roi = calculateRoi({ ...window, sources: [ofSnapshots, ...ofVenue], history });
  if (roi.reason === null && window.from === null) {
    // The first point of all is one whose value is not known; a later start would leave out what came since.
    const isFirst = ({ ts }: RoiPoint) => ts >= history.knownFrom && ts < roi.figures.startAt;
    const first = unknown.find(isFirst);
    return first ? { reason: first.problem } : roi;
  }
  const problem = unknown.at(-1)?.problem;
  if (roi.reason !== 'not_anchored' || problem === undefined) return roi;
  const all = [...ofSnapshots, ...unknown].sort((a, b) => a.ts - b.ts);
  const isAnchored = calculateRoi({ ...window, sources: [all], history }).reason !== 'not_anchored';
  return isAnchored ? { reason: problem } : roi;
}

/** The venue's series of an account that the log has, the finest first. */
export function knownSeries(view: AccountSeriesView, account: string): SeriesPoint[][] {
  return WINDOWS.map((window) => {
    const record = view.get(seriesKey({ account, window }));
    return record ? pointsOf(record) : [];
  });
}

/** The curve of values that the PnL of venue_b implies (`impliedNavCurve`). @param points up to the time of `value`. */
export function impliedCurve(
  points: readonly SeriesPoint[],
  value: CurrentValue,
  { history }: Pick<ReturnInputs, 'history'>,
): NavPoint[] {
  // What came in or left after the value is not in it.
  const flows = history.flows.filter(({ ts }) => ts <= value.ts);
  return impliedNavCurve(points, value.nav, flows);
}

/** A series of venue_b with the values of that curve. */
export function impliedSeries(
  points: readonly SeriesPoint[],
  value: CurrentValue,
  inputs: ReturnInputs,
): SeriesPoint[] {
  const curve = impliedCurve(points, value, inputs);
  return points.slice(points.length - curve.length).map((point, at) => ({ ...point, nav: curve[at]!.nav }));
}

const withValue = ({ ts, nav, pnl }: SeriesPoint): RoiPoint | null => (nav === null ? null : { ts, nav, pnl });
