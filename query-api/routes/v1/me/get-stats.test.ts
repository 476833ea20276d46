import { afterAll, beforeAll, expect, it } from 'vitest';
import { builderDaysTable } from '#schemas/tables/builder-days';
import { TRADE_RECORDING_KEY, tradeRecordingTopic } from '#schemas/topics/account-fills';
import { snapshotHeadTopic } from '#schemas/topics/nav-snapshots';
import {
  anAccountFill,
  beginCoinLedger,
  COIN_ACCOUNT,
  insertAccountFills,
} from '../../../testing/account-fills.fixture.ts';
import { insertRows } from '../../../testing/insert-rows.fixture.ts';
import { ADDRESS, BEGAN } from '../../../testing/ledger-rows.fixture.ts';
import { bindWallet, openPnlService, type PnlService } from '../../../testing/pnl-service.fixture.ts';
import { applyRecord, NOON_MS } from '../../../testing/records.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getStats } from './get-stats.ts';

const BUILDER = `0x${'1'.repeat(40)}`;
let opened: PnlService;
let walletId: string;
beforeAll(async () => {
  opened = await openPnlService();
  (opened.service.views.events as { now: number | null }).now = NOON_MS + 120_000;
  walletId = await bindWallet(opened.service, ADDRESS, opened.service.admin, 'venue_a_perp');
});
afterAll(() => opened.close());

const ask = (query: Record<string, string> = {}) =>
  opened.service.request('GET', `/v1/me/stats?${new URLSearchParams(query)}`, { token: opened.service.admin });
const read = async (query: Record<string, string> = {}) => {
  const { status, body } = await ask(query);
  expect(status, JSON.stringify(body)).toBe(200);
  getStats.response.parse(body);
  return body;
};
const rowOf = (body: { data: { provider: string }[] }, provider: string) =>
  body.data.find((row) => row.provider === provider);
const WINDOW = { from: new Date(NOON_MS).toISOString(), to: new Date(NOON_MS + 60_000).toISOString() };

it('figures of fills are null until the fills of the account are loaded', async () => {
  const body = await read(WINDOW);
  expect(rowOf(body, 'venue_a_perp')).toMatchObject({ volumeUsd: null, tradeCount: null, fillsThrough: null });
});

it('sums the fills in [from, to) exactly, and fees without those of builders', async () => {
  beginCoinLedger(opened.service.views.ledgers, {
    ordersCompleteAt: NOON_MS + 60_000,
    twapsCompleteAt: NOON_MS + 120_000,
  });
  const fill = { price: '100.1', qty: '0.3', closedPnl: '0.1', fee: '0.05', feeToken: 'USDC' };
  await insertAccountFills(opened.store, [
    anAccountFill(0, fill),
    anAccountFill(1, { ...fill, builderFee: '0.02', builder: BUILDER, closedPnl: '0.2' }),
    anAccountFill(60, fill),
  ]);
  const body = await read({ ...WINDOW, groupBy: 'wallet' });
  expect(body.data.find((row: { walletId: string }) => row.walletId === walletId)).toMatchObject({
    address: ADDRESS,
    volumeUsd: 60.06,
    realizedPnlUsd: 0.3,
    tradingFeeUsd: 0.08,
    builderFeeUsd: 0.02,
    tradeCount: 2,
    accountValueUsd: null,
    fillsThrough: new Date(NOON_MS + 60_000).toISOString(),
  });
});

it('an account counts once in the total, however many bindings name it', async () => {
  const before = await read(WINDOW);
  await bindWallet(opened.service, ADDRESS, opened.service.admin, 'venue_a_dex');
  const after = await read(WINDOW);
  expect(after.total).toEqual(before.total);
  expect(rowOf(after, 'venue_a_dex')).toMatchObject({ volumeUsd: 0, tradeCount: 0 });
});

it('fills of a window that ends more than ten minutes after they arrived are not known', async () => {
  const body = await read({ to: new Date(NOON_MS + 660_001).toISOString() });
  expect(rowOf(body, 'venue_a_perp')).toMatchObject({ volumeUsd: null });
});

it('fills of venue_a have arrived up to the time of the stage and of the tables, however late it is', async () => {
  const { views } = opened.service;
  const { freshness } = views;
  const { asOf, tablesAsOf } = freshness;
  const recording = { since: 0, receivedAt: NOON_MS };
  applyRecord(VIEWS.ledgers, views.ledgers, tradeRecordingTopic, TRADE_RECORDING_KEY, recording);
  const end = NOON_MS + 900_000;
  const rowAt = async (stage: number | null, tables: number | null, to: number) => {
    Object.assign(freshness, { asOf: () => stage, tablesAsOf: async () => tables });
    return rowOf(await read({ from: WINDOW.from, to: new Date(to).toISOString() }), 'venue_a_perp');
  };
  const late = end - 600_001;
  const through = (time: number) => ({ fillsThrough: new Date(time).toISOString() });
  expect(await rowAt(late, late, end)).toMatchObject({ volumeUsd: null, ...through(late) });
  expect(await rowAt(end, late, end - 1)).toMatchObject({ volumeUsd: expect.any(Number), ...through(late) });
  // The response about all of its fills is later than what the tables hold.
  expect(await rowAt(end, NOON_MS, end + 1)).toMatchObject({ volumeUsd: null, ...through(NOON_MS) });
  expect(await rowAt(end, null, end + 2)).toMatchObject({ volumeUsd: null, fillsThrough: null });
  expect(await rowAt(null, end, end + 3)).toMatchObject({ volumeUsd: null, fillsThrough: null });
  Object.assign(freshness, { asOf, tablesAsOf });
  applyRecord(VIEWS.ledgers, views.ledgers, tradeRecordingTopic, TRADE_RECORDING_KEY, { ...recording, since: null });
});

it('fills of venue_b have arrived up to the newest followed block, and are not known ten minutes after it', async () => {
  const events = opened.service.views.events as { now: number | null };
  const { now } = events;
  const { freshness } = opened.service.views;
  const { followedThrough } = freshness;
  const rowAt = async (block: number | null, to: number) => {
    Object.assign(freshness, { followedThrough: async () => block });
    const body = await read({ from: WINDOW.from, to: new Date(to).toISOString() });
    return rowOf(body, 'venue_b');
  };
  events.now = NOON_MS + 3_600_000;
  const end = NOON_MS + 900_000;
  expect(await rowAt(null, end)).toMatchObject({ volumeUsd: null, fillsThrough: null });
  const through = { fillsThrough: new Date(end - 600_001).toISOString() };
  expect(await rowAt(end - 600_001, end)).toMatchObject({ volumeUsd: null, ...through });
  expect(await rowAt(end - 600_001, end - 1)).toMatchObject({ volumeUsd: expect.any(Number), ...through });
  Object.assign(freshness, { followedThrough });
  events.now = now;
});

it('platform=mine counts fills of registered builders, and none while a builder is unknown', async () => {
  const refused = await ask({ ...WINDOW, platform: 'mine' });
  expect([refused.status, refused.body.error.code]).toEqual([400, 'no_platform_attribution']);
  await opened.service.request('POST', '/v1/me/platform-attributions', {
    token: opened.service.admin,
    body: { provider: 'venue_a', builder: BUILDER, label: '' },
  });
  expect(rowOf(await read({ ...WINDOW, platform: 'mine' }), 'venue_a_perp')).toMatchObject({
    volumeUsd: 30.03,
    realizedPnlUsd: 0.2,
    tradingFeeUsd: null,
    builderFeeUsd: 0.02,
    tradeCount: 1,
  });
  await insertAccountFills(opened.store, [anAccountFill(2, { builderFee: '0.01', fee: '0.02' })]);
  // Within half a minute the same window has the same figures.
  expect(rowOf(await read({ ...WINDOW, platform: 'mine' }), 'venue_a_perp')).toMatchObject({ volumeUsd: 30.03 });
  const other = { ...WINDOW, to: new Date(NOON_MS + 59_999).toISOString() };
  expect(rowOf(await read({ ...other, platform: 'mine' }), 'venue_a_perp')).toMatchObject({ volumeUsd: null });
});

it('platform=mine counts no fill of venue_a for an organization without a builder of it, whoever brought the fill', async () => {
  const { token } = await opened.service.organization('Chain only');
  await bindWallet(opened.service, ADDRESS, token, 'venue_a_perp');
  const body = { provider: 'venue_b', builder: `0x${'0b'.repeat(32)}`, label: '' };
  await opened.service.request('POST', '/v1/me/platform-attributions', { token, body });
  const query = new URLSearchParams({ ...WINDOW, platform: 'mine' });
  const mine = await opened.service.request('GET', `/v1/me/stats?${query}`, { token });
  expect(rowOf(mine.body, 'venue_a_perp')).toMatchObject({ volumeUsd: 0, tradeCount: 0 });
});

it('platform=mine knows that a fill has another builder once the files of its day have named the others', async () => {
  const DAY = 86_400_000;
  const day = Math.floor(NOON_MS / DAY) * DAY;
  const arrived = { builder: BUILDER, day, fileAt: NOON_MS + 60_000, hasFile: true, rows: 0, etag: null, sha256: 'x' };
  await insertRows(opened.store, builderDaysTable, [arrived]);
  const events = opened.service.views.events as { now: number | null };
  const before = events.now;
  const mine = async (to: number) => (await read({ ...WINDOW, to: new Date(to).toISOString(), platform: 'mine' })).data;
  const rowsAt = async (now: number, to: number) => {
    events.now = now;
    return (await mine(to)).find((row: { provider: string }) => row.provider === 'venue_a_perp');
  };
  expect(await rowsAt(NOON_MS + 119_999, NOON_MS + 59_998)).toMatchObject({ volumeUsd: null });
  // The ledger began after this file arrived, and so has none of its rows.
  await insertRows(opened.store, builderDaysTable, [{ ...arrived, fileAt: BEGAN - 1 }], 1);
  expect(await rowsAt(NOON_MS + 120_000, NOON_MS + 59_996)).toMatchObject({ volumeUsd: null });
  await insertRows(opened.store, builderDaysTable, [arrived], 2);
  expect(await rowsAt(NOON_MS + 120_000, NOON_MS + 59_997)).toMatchObject({ volumeUsd: 30.03, tradeCount: 1 });
  events.now = before;
});

it('a provider has no figures of fills while those of one of its accounts are not known, and the total leaves it out', async () => {
  const [before] = [await read({ ...WINDOW, groupBy: 'wallet' })];
  // With the fills of venue_b, 6 USD.
  expect(before.total).toMatchObject({ volumeUsd: 66.06 });
  const other = `0x${'2b'.repeat(20)}`;
  const id = await bindWallet(opened.service, other, opened.service.admin, 'venue_a_perp');
  const byWallet = await read({ ...WINDOW, groupBy: 'wallet' });
  expect(byWallet.data.find((row: { walletId: string }) => row.walletId === id)).toMatchObject({ volumeUsd: null });
  expect(byWallet.total).toEqual(before.total);
  const byProvider = await read(WINDOW);
  expect(rowOf(byProvider, 'venue_a_perp')).toMatchObject({ volumeUsd: null, tradeCount: null, walletCount: 2 });
  // The rows of the other providers have their fills, and none of the perps.
  expect(byProvider.total).toMatchObject({ volumeUsd: 6 });
  const removed = await opened.service.request('DELETE', `/v1/me/wallets/${id}`, { token: opened.service.admin });
  expect(removed.status).toBe(204);
});

it('values are those of a snapshot that is at most two hours old', async () => {
  const put = (hour: number) => {
    const newest = {
      account: COIN_ACCOUNT,
      ledger: BEGAN,
      hour,
      asOf: hour + 1_000,
      receivedAt: hour + 1_000,
      navUsd: '12.5',
      valueUsd: '12.5',
      availableUsd: null,
      unrealizedPnlUsd: '-0.5',
    };
    const head = { account: COIN_ACCOUNT, ledger: BEGAN, newest };
    applyRecord(VIEWS.snapshotHeads, opened.service.views.snapshotHeads, snapshotHeadTopic, COIN_ACCOUNT, head);
  };
  put(Date.now() - 3 * 3_600_000);
  expect(rowOf(await read(), 'venue_a_perp')).toMatchObject({ accountValueUsd: null, accountValueAsOf: null });
  put(Date.now() - 3_600_000);
  const body = await read();
  expect(rowOf(body, 'venue_a_perp')).toMatchObject({ accountValueUsd: 12.5, unrealizedPnlUsd: -0.5 });
  expect(body.total).toMatchObject({ accountValueUsd: 12.5, unrealizedPnlUsd: -0.5 });
});

it.each([
  ['from', { from: '2026-03-02', to: '2026-03-01' }],
  ['sort', { sort: 'fees' }],
  ['groupBy', { groupBy: 'coin' }],
  ['mode', { mode: 'now' }],
  ['provider', { provider: 'venue_x' }],
  ['to', { to: 'yesterday' }],
  ['roi', { roi: 'true' }],
  ['roi', { roi: '1', groupBy: 'wallet' }],
  ['include', { include: 'pnlCurve', groupBy: 'wallet' }],
  ['include', { include: 'curve', groupBy: 'wallet', roi: 'true' }],
  ['sort', { sort: '-mwrPct', groupBy: 'wallet' }],
  ['sort', { sort: 'netDepositsUsd', groupBy: 'wallet', roi: 'true' }],
])('a bad %s is refused', async (field, query) => {
  const { status, body } = await ask(query as Record<string, string>);
  expect([status, body.error.code]).toEqual([400, 'validation_failed']);
  expect(body.error.message).toContain(field);
});
