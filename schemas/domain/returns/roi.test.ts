import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decimal, parseDecimal } from '../decimal.ts';
import type { RoiPoint } from './chain-linked.ts';
import type { Flow } from './flows.ts';
import { naiveRoi } from './naive-roi.fixture.ts';
import { allFlows, flow, textOrNull } from './returns.fixture.ts';
import { calculateRoi, type RoiInput } from './roi.ts';

const HOUR = 3_600_000;

const point = (hours: number, nav: string, pnl: string | null = null): RoiPoint => ({
  ts: hours * HOUR,
  nav: parseDecimal(nav),
  pnl: pnl === null ? null : parseDecimal(pnl),
});
const valueAt = (hours: number, nav: string) => ({ ts: hours * HOUR, nav: parseDecimal(nav) });
const roi = (input: Partial<RoiInput>) =>
  calculateRoi({ sources: [], history: allFlows(), from: null, to: null, current: null, ...input });

function figuresOf(input: Partial<RoiInput>) {
  const result = roi(input);
  if (result.reason !== null) return result.reason;
  const { mwr, twr, simple, netPnl, netDeposits, startNav, endNav } = result.figures;
  const rates = [mwr, twr, simple].map(textOrNull);
  return [...rates, ...[netPnl, netDeposits, startNav, endNav].map(textOrNull)];
}

describe('the return of a window', () => {
  it('is the profit per start value if nothing was deposited', () => {
    expect(figuresOf({ sources: [[point(0, '100'), point(2, '150')]], current: valueAt(4, '110') })).toEqual([
      '0.1',
      '0.1',
      '0.1',
      '10',
      '0',
      '100',
      '110',
    ]);
  });

  it('weighs a flow by the time that it was in the account', () => {
    const sources = [[point(0, '100', '0'), point(2, '120', '20')]];
    const current = valueAt(8, '240');
    // 120 before the deposit of 100 at 2 h of 8; 220 after it, 240 at the end.
    expect(figuresOf({ sources, history: allFlows(flow(2 * HOUR, '100')), current })).toEqual([
      '0.228571428571428571',
      '0.309090909090909091',
      '0.2',
      '40',
      '100',
      '100',
      '240',
    ]);
  });

  it('carries the value of an anchor forward by the flows up to start and end', () => {
    const sources = [[point(0, '100'), point(10, '130')]];
    const history = allFlows(flow(HOUR, '20'), flow(11 * HOUR, '-30'));
    const window = { from: 2 * HOUR, to: 12 * HOUR };
    expect(figuresOf({ sources, history, ...window })).toEqual([
      '0.08547008547008547',
      '0.083333333333333333',
      '0.111111111111111111',
      '10',
      '-30',
      '120',
      '100',
    ]);
  });

  it('takes all points from the first source that anchors start and end', () => {
    const snapshots = [point(5, '50'), point(6, '60')];
    const day = [point(4, '40', '0'), point(6, '60', '20')];
    const input = { sources: [snapshots, day], to: 6 * HOUR };
    expect(figuresOf({ ...input, from: 5 * HOUR })).toContain('50');
    expect(figuresOf({ ...input, from: 4.5 * HOUR })).toContain('40');
  });

  it('starts without `from` at the first point of all sources', () => {
    const result = roi({ sources: [[point(5, '50')], [point(1, '10', '0')]], current: valueAt(6, '60') });
    expect(result).toMatchObject({ figures: { startAt: HOUR, endAt: 6 * HOUR } });
  });

  it('is null where the denominator is not above zero', () => {
    const history = allFlows(flow(HOUR, '100'));
    expect(figuresOf({ sources: [[point(0, '0')]], history, current: valueAt(2, '110') })).toEqual([
      '0.2',
      null,
      '0.1',
      '10',
      '100',
      '0',
      '110',
    ]);
    expect(figuresOf({ sources: [[point(0, '0')]], current: valueAt(2, '10') })).toEqual([
      null,
      null,
      null,
      '10',
      '0',
      '0',
      '10',
    ]);
  });

  const sources = [[point(0, '100'), point(4, '110')]];
  const current = valueAt(5, '120');
  it.each([
    ['no point is at most three hours older than the start', { sources, current, from: 3 * HOUR + 1 }, 'not_anchored'],
    ['no point is at most three hours older than the end', { sources, to: 7 * HOUR + 1 }, 'not_anchored'],
    ['no source has a point', { sources: [[], []], current }, 'not_anchored'],
    ['the current value is older than the start', { sources, current, from: 6 * HOUR }, 'not_anchored'],
    ['the current value is not known', { sources }, 'no_value'],
    ['a flow has no price', { sources, current, history: allFlows(flow(1, 'flow_unpriced')) }, 'flow_unpriced'],
    [
      'an update has an unknown meaning',
      { sources, current, history: allFlows(flow(1, 'flow_unpriced'), flow(2, 'flows_unknown')) },
      'flows_unknown',
    ],
    [
      'flows are followed from later on',
      { sources, current, history: { ...allFlows(), knownFrom: 1 } },
      'flows_unknown',
    ],
    [
      'flows are not known up to the end',
      { sources, current, history: { ...allFlows(), knownThrough: 5 * HOUR - 1 } },
      'flows_unknown',
    ],
  ])('is unavailable if %s', (_, input, reason) => {
    expect(figuresOf(input)).toBe(reason);
  });

  it('does not depend on flows of unknown amount outside the window', () => {
    const history = allFlows(flow(0, 'flows_unknown'), flow(5 * HOUR + 1, 'flow_unpriced'));
    expect(figuresOf({ sources, current, history })).toContain('20');
  });
});

/** An account whose value follows from its flows and profits. */
const account = fc
  .record({
    deposit: fc.integer({ min: -5, max: 500 }),
    steps: fc.array(
      fc.record({
        minutes: fc.integer({ min: 1, max: 200 }),
        profit: fc.integer({ min: -60, max: 60 }),
        flow: fc.oneof(
          { weight: 3, arbitrary: fc.constant(0) },
          { weight: 2, arbitrary: fc.integer({ min: -90, max: 300 }) },
        ),
        unknown: fc.constantFrom(
          ...Array.from({ length: 40 }, () => null),
          'flow_unpriced' as const,
          'flows_unknown' as const,
        ),
        isPoint: fc.constantFrom(true, true, false),
      }),
      { minLength: 1, maxLength: 30 },
    ),
  })
  .map(({ deposit, steps }) => {
    const flows: Flow[] = [];
    const points: { ts: number; nav: Decimal; pnl: Decimal }[] = [];
    const decimal = (thousandths: number) => parseDecimal((thousandths / 1000).toFixed(3));
    let [ts, pnl, deposited] = [0, 0, deposit * 1000];
    for (const step of steps) {
      ts += step.minutes * 60_000;
      pnl += step.profit * 333;
      if (step.flow !== 0) {
        deposited += step.flow * 1000;
        flows.push(flow(ts, step.unknown ?? `${step.flow}`));
      }
      if (step.isPoint || points.length === 0) points.push({ ts, nav: decimal(deposited + pnl), pnl: decimal(pnl) });
    }
    return { flows, points };
  });

const time = fc.option(fc.integer({ min: 0, max: 60 * 60 }).map((minutes) => minutes * 60_000));
const window = fc.tuple(time, time).map(([a, b]) => (a !== null && b !== null && a > b ? [b, a] : [a, b]));
const isClose = (a: Decimal | null, b: Decimal | null) =>
  a === null || b === null ? a === b : a - b <= 1n && b - a <= 1n;

function expectSameAsNaive(input: RoiInput): void {
  const [actual, expected] = [calculateRoi(input), naiveRoi(input)];
  expect(actual.reason).toBe(expected.reason);
  if (actual.reason !== null || expected.reason !== null) return;
  const { twr, ...figures } = actual.figures;
  const { twr: naive, ...rest } = expected.figures;
  expect(figures).toEqual(rest);
  // The chain of links is rounded once at 36 decimals for each, so its 18th decimal may differ by one.
  expect([isClose(twr, naive), twr, naive]).toEqual([true, twr, naive]);
}

describe('random accounts', () => {
  it('have the same returns as a naive calculation, whichever source anchors them', () => {
    fc.assert(
      fc.property(account, window, fc.nat(6), fc.boolean(), (own, [from, to], skipped, hasValue) => {
        const snapshots = own.points.slice(skipped).map((point) => ({ ...point, pnl: null }));
        const coarse = own.points.filter((_, at) => at % 3 === 0);
        const last = own.points.at(-1)!;
        const current = hasValue ? { ts: last.ts + 60_000, nav: last.nav } : null;
        const history = { ...allFlows(...own.flows), knownFrom: skipped === 6 ? 60_000 : Number.NEGATIVE_INFINITY };
        expectSameAsNaive({ sources: [snapshots, own.points, coarse], history, from: from!, to: to!, current });
      }),
      { numRuns: 3_000 },
    );
  });

  it('have the same returns by values and flows as by the profit that the venue states', () => {
    fc.assert(
      fc.property(account, window, ({ points, flows }, [from, to]) => {
        const last = points.at(-1)!;
        const history = allFlows(...flows);
        const common = { history, from: from!, to: to!, current: { ts: last.ts, nav: last.nav } };
        const bySnapshots = calculateRoi({ ...common, sources: [points.map((point) => ({ ...point, pnl: null }))] });
        const bySeries = calculateRoi({ ...common, sources: [points] });
        expect(bySnapshots.reason).toBe(bySeries.reason);
        if (bySeries.reason !== null || bySnapshots.reason !== null) return;
        expect(bySnapshots.figures).toEqual(bySeries.figures);
        // Profit is what the account gained between its anchors.
        const pnlAt = (ts: number) => points.findLast((point) => point.ts <= ts)!.pnl;
        const { startAt, endAt, netPnl } = bySeries.figures;
        expect(netPnl).toBe(pnlAt(endAt) - points.findLast(({ ts }) => ts <= startAt)!.pnl);
      }),
      { numRuns: 1_000 },
    );
  });
});
