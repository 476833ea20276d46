import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { builderDaysTable } from '#schemas/tables/builder-days';
import { builderFillsTable } from '#schemas/tables/builder-fills';
import { tradesTable } from '#schemas/tables/trades';
import type { BuilderFill } from '#schemas/topics/builder-exports';
import { DAY_MS, firstBuilderDay } from '#schemas/venues/venue-a/builder-export';
import { insertRows } from '../../../testing/insert-rows.fixture.ts';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { bindWallet } from '../../../testing/pnl-service.fixture.ts';
import { aTrade } from '../../../testing/records.fixture.ts';
import { openTestService, type TestService } from '../../../testing/test-service.fixture.ts';
import { getPlatformVolume } from './get-platform-volume.ts';

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const BUILDER_A = `0x${'1'.repeat(40)}`;
const BUILDER_B = `0x${'2'.repeat(64)}`;
/** The first day whose file is requested of a builder that is registered now. */
const FIRST = firstBuilderDay(Date.now());
const HOUR = 3_600_000;

let store: Store;
let service: TestService;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ store, close } = await openTestStore());
  service = await openTestService({ store });
  // The newest followed block has no trade.
  Object.assign(service.views.freshness, { followedThrough: async () => FIRST + 3 * HOUR });
});
afterAll(async () => {
  await service.close();
  await close();
});

const read = async (query: Record<string, string> = {}, token = service.admin) =>
  service.request('GET', `/v1/me/platform-volume?${new URLSearchParams(query)}`, { token });
const register = (provider: string, builder: string) =>
  service.request('POST', '/v1/me/platform-attributions', {
    token: service.admin,
    body: { provider, builder, label: '' },
  });

const fill = (place: number, fields: Partial<BuilderFill> = {}): BuilderFill => ({
  builder: BUILDER_A,
  day: FIRST,
  fileAt: 2,
  place,
  user: B,
  coin: 'BTC',
  time: FIRST + place * HOUR,
  side: 'buy',
  price: '98948.1',
  qty: '0.00015',
  builderFee: '0.000148',
  ...fields,
});
const day = (nth: number, fileAt = 2) => ({
  builder: BUILDER_A,
  day: FIRST + nth * DAY_MS,
  fileAt,
  hasFile: true,
  rows: 2,
  etag: null,
  sha256: null,
});
const orders = (makerBuilder: string | null, takerBuilder: string | null) => ({
  makerInstrument: '222',
  makerSide: 'buy' as const,
  makerPrice: '0.6',
  makerBuilder,
  makerFee: null,
  takerBuilder,
  takerFee: null,
});

it('is refused without a registered builder, and with a window that ends before it starts', async () => {
  const refused = await read();
  expect([refused.status, refused.body.error.code]).toEqual([400, 'no_platform_attribution']);
  await register('venue_a', BUILDER_A);
  await register('venue_b', BUILDER_B);
  const reversed = await read({ from: '2026-03-02', to: '2026-03-01' });
  expect([reversed.status, reversed.body.error.code]).toEqual([400, 'validation_failed']);
});

it('has no row while no wallet is bound', async () => {
  const { status, body, headers } = await read();
  expect(status, JSON.stringify(body)).toBe(200);
  getPlatformVolume.response.parse(body);
  expect(body).toMatchObject({ total: { volumeUsd: 0, tradeCount: 0, builderFeeUsd: null }, byVenue: [] });
  expect(headers['cache-control']).toBe('private, max-age=15, stale-while-revalidate=30');
});

it('counts the rows of the newest files, and both orders of trades at their own price, by anyone', async () => {
  await bindWallet(service, A, service.admin, 'venue_a');
  await bindWallet(service, A, service.admin, 'venue_a_dex');
  await bindWallet(service, B, service.admin, 'venue_b');
  await insertRows(store, builderFillsTable, [
    fill(1, { fileAt: 1, qty: '7' }),
    fill(1),
    fill(2, { user: A }),
    fill(3, { day: FIRST + DAY_MS, time: FIRST + DAY_MS, fileAt: 9 }),
    fill(4, { builder: `0x${'9'.repeat(40)}` }),
  ]);
  await insertRows(store, builderDaysTable, [day(0), day(2)]);
  const trade = {
    provider: 'venue_b',
    instrument: '111',
    ts: FIRST + HOUR,
    price: '0.4',
    qty: '10',
    maker: B,
    taker: A,
  };
  await insertRows(store, tradesTable, [
    aTrade({ ...trade, id: 't1', arrival: 1, orders: orders(BUILDER_B, BUILDER_B) }),
    aTrade({ ...trade, id: 't2', arrival: 2, orders: orders(null, BUILDER_B) }),
    aTrade({ ...trade, id: 't3', arrival: 3, orders: orders(BUILDER_B, null), status: 'reverted' }),
    aTrade({ ...trade, id: 't4', arrival: 4, orders: orders(`0x${'3'.repeat(64)}`, null), ts: FIRST + 2 * HOUR }),
  ]);
  const { body } = await read();
  getPlatformVolume.response.parse(body);
  // 2 · 98948.1 · 0.00015, and 10 · 0.6 + 2 · 10 · 0.4.
  expect(body.byVenue).toEqual([
    {
      venue: 'venue_a',
      volumeUsd: 29.68443,
      tradeCount: 2,
      builderFeeUsd: 0.000296,
      walletCount: 2,
      dataThrough: new Date(FIRST + DAY_MS).toISOString(),
    },
    {
      venue: 'venue_b',
      volumeUsd: 14,
      tradeCount: 3,
      builderFeeUsd: null,
      walletCount: 1,
      dataThrough: new Date(FIRST + 3 * HOUR).toISOString(),
    },
  ]);
  expect(body.total).toEqual({ volumeUsd: 43.68443, tradeCount: 5, builderFeeUsd: 0.000296 });
});

it('counts fills in [from, to), and wallets with a fill in it', async () => {
  const from = new Date(FIRST + HOUR).toISOString();
  const { body } = await read({ from, to: new Date(FIRST + 2 * HOUR).toISOString() });
  expect(body.window.from).toBe(from);
  expect(body.byVenue[0]).toMatchObject({ volumeUsd: 14.842215, tradeCount: 1, walletCount: 0 });
});
