import { expect, it } from 'vitest';
import { PAGES } from '#query-api/portal/pages';
import { pagesOf, resultsOf } from './portal.ts';

const MIB = 2 ** 20;
const BOARD = { longTasksMs: 1_200, watchedMs: 60_000, heapBytesBefore: 20 * MIB, heapBytesAfter: 23 * MIB };

it('reports the median of the overview, the slowest other median, the share of long tasks and the growth of the heap', () => {
  const loads = new Map([
    ['/', [900, 400, 500]],
    ['/events', [700, 800, 5_000]],
    ['/keys', [100, 200, 300]],
  ]);
  expect(resultsOf(loads, BOARD)).toMatchObject([
    { name: 'portal-load', value: 500, unit: 'ms' },
    { name: 'portal-page-load', value: 800, unit: 'ms' },
    { name: 'portal-long-tasks', value: 2, unit: '%' },
    { name: 'portal-heap-growth', value: 3, unit: 'MiB' },
  ]);
});

it('throws without a load of the overview or of another page', () => {
  expect(() => resultsOf(new Map([['/events', [1]]]), BOARD)).toThrow(RangeError);
  expect(() => resultsOf(new Map([['/', [1]]]), BOARD)).toThrow(RangeError);
});

it('opens every declared page, each with values of its own for its parameters', () => {
  const values = {
    event: { universalId: 'evt 1' },
    market: { coin: 'BTC', pair: 'HYPE-USDC', dex: 'orb', symbol: 'GOLD' },
    wallet: { id: 'wal_1' },
    webhook: { id: 'wh_1' },
    delivery: { id: 'wh_1', deliveryId: 'dlv_1' },
  };
  const paths = pagesOf(values).map(({ path }) => path);
  expect(paths).toHaveLength(PAGES.length);
  expect(paths[0]).toBe('/');
  expect(paths).toEqual(
    expect.arrayContaining(['/events/evt%201', '/wallets/wal_1', '/webhooks/wh_1', '/webhooks/wh_1/deliveries/dlv_1']),
  );
  expect(() => pagesOf({ ...values, wallet: {} })).toThrow('no value for id of /wallets/:id');
});
