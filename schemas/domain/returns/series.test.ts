import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '../decimal.ts';
import { cutCurve, dataThrough, mergeCurves } from './merge-series.ts';
import { allFlows, curvePoint, flow, readablePoint, textOrNull } from './returns.fixture.ts';
import { curveOf, seriesState, WINDOWS } from './series.ts';
import { type HourValue, impliedNavCurve, isCovered, pointAtMark, snapshotCurve } from './snapshot-curve.ts';
import { readPortfolio } from './venue-a-series.ts';
import { readUserPnl } from './venue-b-series.ts';

const RECORDED = join(process.env.PARALLAX_SHARED ?? '../shared', 'data/venue_a/info.portfolio.vault.json');

type Pairs = readonly (readonly [unknown, unknown])[];

function portfolio(values: Pairs, pnls: Pairs): unknown {
  const histories = { accountValueHistory: values, pnlHistory: pnls, vlm: '0.0' };
  return ['day', 'week', 'month', 'allTime', 'perpDay'].map((period) => [period, histories]);
}
const dayOf = (response: unknown) => curveOf(readPortfolio(response)['1D']).map(readablePoint);

describe('the series of venue_a', () => {
  it('has the value and the profit since its first point', () => {
    const values: Pairs = [
      [1_500, '100.5'],
      [2_999, '90'],
      [4_000, '190.0'],
    ];
    const pnls: Pairs = [
      [1_500, '7.0'],
      [2_999, '-3.5'],
      [4_000, '-3.5'],
    ];
    expect(dayOf(portfolio(values, pnls))).toEqual([
      [1, '100.5', '100.5', '0'],
      [2, '90', '100.5', '-10.5'],
      [4, '190', '200.5', '-10.5'],
    ]);
  });

  it('has no points for an account that the venue does not know', () => {
    expect(readPortfolio(portfolio([], []))).toEqual({ '1D': [], '1W': [], '1M': [], ALL: [] });
  });

  const pair: Pairs = [[1, '1.0']];
  it.each([
    ['no list', { day: {} }, 'portfolio'],
    ['a missing window', (portfolio(pair, pair) as unknown[]).slice(1), 'day.histories'],
    ['histories of different lengths', portfolio([...pair, [2, '2.0']], pair), 'day.pnlHistory'],
    ['histories of different times', portfolio(pair, [[2, '1.0']]), 'day.pnlHistory[0]'],
    [
      'times that decrease',
      portfolio(
        [
          [2, '1'],
          [1, '1'],
        ],
        [
          [2, '1'],
          [1, '1'],
        ],
      ),
      'day.accountValueHistory[1][0]',
    ],
    ['a figure that is no decimal', portfolio([[1, 'NaN']], pair), 'day.accountValueHistory[0][1]'],
    ['a missing figure', portfolio(pair, [[1, null]]), 'day.pnlHistory[0][1]'],
  ])('is refused for %s', (_, response, field) => {
    expect(() => readPortfolio(response)).toThrow(field);
  });

  it.skipIf(!existsSync(RECORDED))('is that of the recorded response (skipped: no data at PARALLAX_SHARED)', () => {
    const { response } = JSON.parse(readFileSync(RECORDED, 'utf8'));
    const series = readPortfolio(response);
    expect(WINDOWS.map((window) => series[window].length)).toEqual([13, 64, 45, 76]);
    const day = curveOf(series['1D']).map(readablePoint);
    expect(day[0]).toEqual([1755772320, '160794563.9261809886', '160794563.9261809886', '0']);
    expect(day[1]).toEqual([1755780720, '160690871.9162580073', '160794563.9261810073', '-103692.009923']);
    // Without flows the net deposits stay those of the first point, but for the venue's own rounding.
    for (const [, , deposits] of day) expect(Number(deposits)).toBeCloseTo(160794563.926181, 5);
    const all = series.ALL.at(-1)!;
    expect([textOrNull(all.nav), formatDecimal(all.pnl)]).toEqual(['160664370.477425009', '650509.577425']);
  });
});

describe('the series of venue_b', () => {
  it('has the profit since its first point, with the digits as written', () => {
    const text = '[{"t":1700000000,"p":12.000000000000000001},{"p":-3e-7,"t":1700003600}, {"t":1700003605,"p":1e2}]';
    expect(curveOf(readUserPnl(text)).map(readablePoint)).toEqual([
      [1700000000, null, null, '0'],
      [1700003600, null, null, '-12.000000300000000001'],
      [1700003605, null, null, '87.999999999999999999'],
    ]);
  });

  it('has no points for an account that the venue does not know', () => {
    expect(readUserPnl('[]')).toEqual([]);
  });

  it.each([
    ['no list', '{"error":"x"}', 'user-pnl'],
    ['a truncated response', '[{"t":1,"p":1},{"t":2', 'user-pnl'],
    ['a missing figure', '[{"t":1}]', 'user-pnl[0].p'],
    ['a figure that is null', '[{"t":1,"p":null}]', 'user-pnl[0].p'],
    ['a figure as text', '[{"t":1,"p":"NaN"}]', 'user-pnl[0].p'],
    ['a missing time', '[{"p":1}]', 'user-pnl[0].t'],
    ['times that decrease', '[{"t":2,"p":1},{"t":1,"p":1}]', 'user-pnl[1].t'],
  ])('is refused for %s', (_, text, field) => {
    expect(() => readUserPnl(text)).toThrow(field);
  });
});

it('a curve has the last of several points of one second, and begins at 0', () => {
  const point = (ts: number, nav: string, pnl: string) => ({ ts, nav: parseDecimal(nav), pnl: parseDecimal(pnl) });
  const points = [point(1_000, '5', '0'), point(1_900, '7', '2'), point(2_000, '8', '3')];
  expect(curveOf(points).map(readablePoint)).toEqual([
    [1, '7', '7', '0'],
    [2, '8', '7', '1'],
  ]);
});

describe('several curves', () => {
  const a = [curvePoint(10, '100', '100', '0'), curvePoint(20, '110', '100', '10'), curvePoint(40, '90', '100', '-10')];
  const b = [curvePoint(15, '50', '50', '0'), curvePoint(20, '60', '50', '10'), curvePoint(30, '65', '55', '10')];

  it('have a sum at every second from the latest first point on', () => {
    expect(mergeCurves([a, b]).map(readablePoint)).toEqual([
      [15, '150', '150', '0'],
      [20, '170', '150', '20'],
      [30, '175', '155', '20'],
      [40, '155', '155', '0'],
    ]);
  });

  it('have a null sum where one part is null', () => {
    const unvalued = [curvePoint(10, null, null, '0'), curvePoint(40, null, null, '5')];
    expect(mergeCurves([a, unvalued]).map(readablePoint)).toEqual([
      [10, null, null, '0'],
      [20, null, null, '10'],
      [40, null, null, '-5'],
    ]);
  });

  it('end at the earliest of their newest points; an account without points limits nothing', () => {
    expect(dataThrough([a, b, []])).toBe(30);
    expect(cutCurve(a, 30).map(({ t }) => t)).toEqual([10, 20]);
    expect(mergeCurves([a, []])).toEqual(a);
    expect([dataThrough([[]]), cutCurve(a, null), mergeCurves([])]).toEqual([null, [], []]);
  });
});

describe('a curve of snapshots', () => {
  const HOUR = 3_600_000;
  const hourValue = (hour: number, nav: string, late = 1_000): HourValue => ({
    hour: hour * HOUR,
    asOf: hour * HOUR + late,
    nav: parseDecimal(nav),
  });
  const points = (...args: Parameters<typeof snapshotCurve>) =>
    snapshotCurve(...args).map(({ t, nav, netDeposits }) => [t / 3600, formatDecimal(nav), textOrNull(netDeposits)]);

  it('adds to the first value the flows since then', () => {
    // A flow right after the hour mark is in the snapshot, since that was taken later.
    const history = allFlows(flow(HOUR + 500, '5'), flow(2 * HOUR + 500, '20'), flow(2 * HOUR + 1_500, '-3'));
    expect(points([hourValue(1, '100'), hourValue(2, '125'), hourValue(4, '120')], history)).toEqual([
      [1, '100', '100'],
      [2, '125', '120'],
      [4, '120', '117'],
    ]);
  });

  it('does not know the net deposits after a flow of unknown amount', () => {
    const history = allFlows(flow(2 * HOUR, 'flow_unpriced'));
    expect(points([hourValue(1, '100'), hourValue(2, '125'), hourValue(3, '125')], history)).toEqual([
      [1, '100', '100'],
      [2, '125', null],
      [3, '125', null],
    ]);
  });

  it('needs two snapshots of the account, and has the newest 2,000 of more', () => {
    expect([[], [hourValue(1, '1')], [hourValue(1, '1'), hourValue(2, '1')]].map(isCovered)).toEqual([
      false,
      false,
      true,
    ]);
    expect(points([], allFlows())).toEqual([]);
    expect(points([hourValue(1, '100')], allFlows())).toEqual([[1, '100', '100']]);
    const many = Array.from({ length: 2_003 }, (_, hour) => hourValue(hour, '1'));
    const curve = points(many, allFlows());
    expect([curve.length, curve[0]![0]]).toEqual([2_000, 3]);
  });

  it('is a point at the hour mark without the flows since then', () => {
    const history = allFlows(flow(HOUR, '1'), flow(HOUR + 500, '5'), flow(HOUR + 1_500, '7'));
    expect(pointAtMark(hourValue(1, '100'), history)).toEqual({ ts: HOUR, nav: parseDecimal('95'), pnl: null });
  });

  it('is no point at the hour mark while the flows between the mark and the value are not known', () => {
    const came = flow(HOUR + 500, '1000');
    const late = { ...allFlows(came), knownThrough: HOUR + 999 };
    expect(pointAtMark(hourValue(1, '1100'), late)).toBe('flows_unknown');
    expect(pointAtMark(hourValue(1, '1100'), allFlows(came, flow(HOUR + 600, 'flow_unpriced')))).toBe('flow_unpriced');
  });

  it('that is implied has no point before a flow of unknown amount', () => {
    const series = readUserPnl('[{"t":1000,"p":5},{"t":2000,"p":8},{"t":3000,"p":6}]');
    const flows = [flow(1_500_000, 'flow_unpriced'), flow(2_500_000, '-4')];
    expect(impliedNavCurve(series, parseDecimal('100'), flows).map(({ t }) => t)).toEqual([2000, 3000]);
  });

  it('is implied by the current value, the profit and the flows where there are no snapshots', () => {
    const series = readUserPnl('[{"t":1000,"p":5},{"t":2000,"p":8},{"t":3000,"p":6}]');
    const flows = [flow(1_500_000, '20'), flow(2_500_000, '-4')];
    const curve = impliedNavCurve(series, parseDecimal('100'), flows);
    expect(curve.map(({ t, nav, netDeposits }) => [t, formatDecimal(nav), textOrNull(netDeposits)])).toEqual([
      [1000, '83', '83'],
      [2000, '106', '103'],
      [3000, '100', '99'],
    ]);
    expect(impliedNavCurve([], parseDecimal('100'), [])).toEqual([]);
  });
});

it('a series is ready until its newest observation is 70 minutes old', () => {
  const MINUTE = 60_000;
  const at = (minutes: number) => Object.values(seriesState(0, minutes * MINUTE));
  expect(at(10)).toEqual(['ready', 'authoritative', 'fresh']);
  expect(at(10.1)).toEqual(['ready', 'authoritative', 'cached_fresh']);
  expect(at(70)).toEqual(['ready', 'authoritative', 'cached_fresh']);
  expect(at(70.1)).toEqual(['unavailable', 'degraded', 'unavailable']);
  expect(seriesState(0, 1_000 * MINUTE, Number.POSITIVE_INFINITY).dataStatus).toBe('cached_fresh');
  expect(seriesState(null, 0).status).toBe('unavailable');
  expect(seriesState(null, 0, Number.POSITIVE_INFINITY).status).toBe('unavailable');
});
