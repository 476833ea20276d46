import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { type Decimal, formatDecimal } from '#schemas/domain/decimal';
import { calculateRoi } from '#schemas/domain/returns/roi';
import { pointAtMark } from '#schemas/domain/returns/snapshot-curve';
import { accountFlowsTable } from '#schemas/tables/account-flows';
import { flowCoverageTable } from '#schemas/tables/flow-coverage';
import { navSnapshotsTable } from '#schemas/tables/nav-snapshots';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { type ReturnsWindow, readReturnInputsOf } from './read-return-inputs.ts';

const HOUR = 3_600_000;
const ACCOUNT = `venue_a:0x${'a1'.repeat(20)}`;
const LEDGER = { account: ACCOUNT, ledger: 1_000 };
/** More than curves have; the value grows by 1 an hour, and from hour 5,003 on by 500 that came in. */
const HOURS = 6_500;
const FLOW_HOUR = 5_003;

let store: Store;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ store, close } = await openTestStore());
  const figures = { valueUsd: null, availableUsd: null, unrealizedPnlUsd: null };
  const snapshots = Array.from({ length: HOURS }, (_, nth) => {
    const hour = (nth + 1) * HOUR;
    const navUsd = `${1_000 + nth + 1 + (nth + 1 >= FLOW_HOUR ? 500 : 0)}`;
    return { ...LEDGER, hour, asOf: hour + 1_000, receivedAt: hour + 1_000, navUsd, ...figures };
  });
  await insertRows(store, navSnapshotsTable, [...snapshots, ...snapshots.map((row) => ({ ...row, ...LATER }))]);
  const flow = { ...LEDGER, id: 'in', state: 'applied' as const, receivedAt: 1, kind: 'deposit', problem: null };
  await insertRows(store, accountFlowsTable, [{ ...flow, ts: FLOW_HOUR * HOUR - HOUR / 2, usd: '500', txHash: null }]);
  const coverage = { receivedAt: 1, knownThrough: HOURS * HOUR + HOUR, requestFrom: 0, wantedPrices: [] };
  await insertRows(store, flowCoverageTable, [
    { ...LEDGER, ...coverage, knownFrom: null },
    { ...LATER, ...coverage, knownFrom: KNOWN_HOUR * HOUR },
  ]);
});
afterAll(() => close());

/** An account with the same snapshots, whose flows are known from an hour on that is left out of a thinned window. */
const LATER = { account: `venue_a:0x${'b2'.repeat(20)}`, ledger: 1_000 };
const KNOWN_HOUR = 1_001;

const inputsOf = (window: ReturnsWindow | null, ledger = LEDGER) =>
  readReturnInputsOf({ store, views: { freshness: undefined as never } }, ledger, window);

async function roiOf(window: ReturnsWindow, ledger = LEDGER) {
  const { snapshots, history } = await inputsOf(window, ledger);
  const points = snapshots.flatMap((snapshot) => {
    const point = pointAtMark(snapshot, history);
    return typeof point === 'string' ? [] : [point];
  });
  const roi = calculateRoi({
    ...window,
    sources: [points],
    history,
    current: { ts: HOURS * HOUR, nav: 0n as Decimal },
  });
  return { count: snapshots.length, roi };
}

it('a curve has the newest 2,000 snapshots', async () => {
  const { snapshots } = await inputsOf(null);
  expect([snapshots.length, snapshots[0]!.hour, snapshots.at(-1)!.hour]).toEqual([
    2_000,
    (HOURS - 1_999) * HOUR,
    HOURS * HOUR,
  ]);
});

it('a return is anchored by snapshots that are older than those of curves', async () => {
  const { roi } = await roiOf({ from: 10 * HOUR, to: 40 * HOUR });
  expect(roi.reason === null && [roi.figures.startAt, roi.figures.endAt, formatDecimal(roi.figures.netPnl)]).toEqual([
    10 * HOUR,
    40 * HOUR,
    '30',
  ]);
});

it('a return without a start begins with the first snapshot of all, and only some of many are read', async () => {
  const { count, roi } = await roiOf({ from: null, to: HOURS * HOUR });
  expect(roi.reason === null && [roi.figures.startAt, roi.figures.endAt]).toEqual([HOUR, HOURS * HOUR]);
  expect(roi.reason === null && formatDecimal(roi.figures.netPnl)).toBe(`${HOURS - 1}`);
  expect(count).toBeLessThan(2_100);
});

it('a return without a start begins with the first snapshot since flows are known, also of many', async () => {
  const { count, roi } = await roiOf({ from: null, to: HOURS * HOUR }, LATER);
  expect(roi.reason === null && roi.figures.startAt).toBe(KNOWN_HOUR * HOUR);
  expect(count).toBeLessThan(2_100);
});

it('a time-weighted return has the last snapshot before each flow, also of a window with many snapshots', async () => {
  const { roi } = await roiOf({ from: null, to: HOURS * HOUR });
  const [before, after] = [1_000 + FLOW_HOUR - 1, 1_500 + FLOW_HOUR - 1];
  const expected = (before / 1_001) * ((1_500 + HOURS) / after) - 1;
  expect(roi.reason === null && Number(formatDecimal(roi.figures.twr!))).toBeCloseTo(expected, 12);
});
