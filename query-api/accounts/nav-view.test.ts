import { expect, it } from 'vitest';
import type { Reader } from '../queries/query.ts';
import { createViews, NOON_MS } from '../testing/records.fixture.ts';
import { navView } from './nav-view.ts';
import { readPerformance } from './performance.ts';
import { readStoredNav, STORED_SOURCES } from './stored-nav.ts';

const HOUR = 3_600_000;
const ADDRESS = `0x${'a1'.repeat(20)}`;
const ACCOUNT = { provider: 'venue_a', address: ADDRESS } as const;
const NAME = `venue_a:${ADDRESS}`;

/** A store with snapshots so many hours before noon, oldest first, and no flows. */
function setUp(...hoursAgo: number[]) {
  const views = createViews();
  (views.ledgers.followed as Map<string, object>).set(NAME, { account: NAME, ledger: 1 });
  const rows = hoursAgo.map((ago) => {
    const hour = NOON_MS - ago * HOUR;
    return { account: NAME, hour, asOf: hour, navUsd: String(100 + ago) };
  });
  const coverage = { account: NAME, knownFrom: null, knownThrough: Number.MAX_SAFE_INTEGER };
  const query = async (_sql: string, _parameters: unknown, name?: string) => {
    if (name === 'flow-coverage') return [coverage];
    return rows.map((row, nth) => ({ query: 1, nth, row: JSON.stringify(row) }));
  };
  const dependencies = { views, store: { query } as unknown as Reader };
  return (window: '1D' | 'ALL' = 'ALL') => readStoredNav(ACCOUNT, window, NOON_MS, dependencies);
}

it('snapshots of the service take the place of a series that is not ready', async () => {
  const stored = await setUp(30, 3, 2)();
  const at = (ago: number) => NOON_MS / 1000 - ago * 3_600;
  const control = { walletsByAddress: new Map() };
  const source = { view: new Map(), attempts: new Map(), control, caller: {}, now: NOON_MS, readyMs: HOUR } as never;
  const { series, warnings } = navView('ALL', readPerformance([ACCOUNT], ['ALL'], source), [stored]);
  expect(series).toMatchObject([
    {
      provider: 'venue_a',
      address: ADDRESS,
      source: STORED_SOURCES.venue_a,
      quality: 'degraded',
      points: [
        { t: at(30), navUsdc: 130, netDepositsUsdc: 130 },
        { t: at(3), navUsdc: 103, netDepositsUsdc: 130 },
        { t: at(2), navUsdc: 102, netDepositsUsdc: 130 },
      ],
      availability: { dataStatus: 'cached_stale', reason: 'not_followed' },
    },
  ]);
  expect(warnings.map(({ code }) => code)).toEqual(['series_unavailable']);
});

it('snapshots are those of the window, up to 24 hours after the newest', async () => {
  expect((await setUp(30, 3, 2)('1D'))!.points).toHaveLength(2);
  expect(await setUp(30, 24)()).not.toBeNull();
  expect(await setUp(30, 25)()).toBeNull();
  expect(await setUp()()).toBeNull();
});

it('a warning states that a series has only its newest 2,000 points', async () => {
  const hours = Array.from({ length: 2_000 }, (_, nth) => 2_000 - nth);
  const stored = (await setUp(...hours)())!;
  expect(stored.isTruncated).toBe(true);
  const one = { provider: 'venue_a', address: ADDRESS, source: 'performance_projection', points: [], availability: {} };
  const performance = { windows: { ALL: { series: [one] } }, warnings: [], asOf: '' };
  expect(navView('ALL', performance as never, [stored]).warnings).toMatchObject([{ code: 'truncated', window: 'ALL' }]);
});
