import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { migrate } from '#infra/store/migrate';
import { openStore } from '#infra/store/open-store';
import type { Store } from '#infra/store/store';
import { SCOPES } from '#schemas/domain/control/state';
import { tradeIdOf } from '#schemas/domain/ledger/fill-id';
import { DEFAULT_QUOTAS } from '#schemas/domain/quota/plan-quotas';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { tradesTable } from '#schemas/tables/trades';
import { aCandle } from '#schemas/testing/records.fixture';
import { eventTopic } from '#schemas/topics/derived';
import { type LedgerEventRow, ledgerEventTopic } from '#schemas/topics/ledgers';
import { bookTopics, contextTopics, instrumentTopics, perpDexTopic } from '#schemas/topics/normalised';
import { ALL_NAMES, CASES } from '../markets/family-cases.fixture.ts';
import { ROUTES } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import {
  aBookUpdate,
  aContext,
  anEvent,
  anInstrument,
  aPerpDex,
  applyRecord,
  aTrade,
  NOON_MS,
} from '../testing/records.fixture.ts';
import { openTestService, type TestService } from '../testing/test-service.fixture.ts';
import { VIEWS, type Views } from '../views/views.ts';
import { type DataSetRecord, MARKET_TABLES, rowsOf, viewsOf } from './data-set.ts';
import { readDataSet } from './data-set-file.ts';
import { type InfoResponse, readInfoResponses } from './info-responses.ts';
import { openSandbox } from './open-sandbox.ts';
import { openTables } from './open-tables.ts';

const COINS = '/v1/markets/venue_a/coins';
const SANDBOX_HEADER = 'x-svc-sandbox';
/** Shared routes, which return markets and events. */
const SHARED = ROUTES.filter(({ dependsOnCaller, scope }) => !dependsOnCaller && scope !== null);
/** Shared routes whose response does not depend on market data. */
const SAME_FOR_ALL = ['/v1/webhooks/event-catalog'];
/** The day of which the data set has daily rows. */
const DAY = '2026-01-14';
/** Time limit of a test that requests every route, which fills the tables of the data set. */
const SLOW_MS = 90_000;
/** A price that differs from that in the data set. */
const LIVE_PRICE = '7.5';

let folder: string;
let records: readonly DataSetRecord[];
let views: Views;
let store: Store;
let service: TestService;
let sandboxed: string;

// Filling the tables takes seconds, so that all tests share one service. Those of the tables come first, with empty ones.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-query-api-'));
  records = await readDataSet();
  views = viewsOf(records);
  await open();
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a service with a new log and the store of the folder. */
async function open(): Promise<void> {
  store = await openStore({ store: 'embedded', dataDir: folder });
  await migrate(store);
  service = await openTestService({ store, sandbox: openSandbox(store) });
  sandboxed = (await service.key(service.admin, SCOPES, true)).token;
  await addLiveData(LIVE_PRICE);
}
async function close(): Promise<void> {
  await service.close();
  await store.close();
}
async function restart(): Promise<void> {
  await close();
  await open();
}

/** Adds live data: a market of each family that the data set has too, a coin that it does not have, and an event. */
async function addLiveData(price: string): Promise<void> {
  const { coins, books, events } = service.views;
  for (const instrument of [...CASES.map(({ make }) => make()), anInstrument({ coin: 'LIVEONLY' })]) {
    const { coin } = instrument;
    applyRecord(VIEWS.coins, coins, instrumentTopics.venue_a, coin, instrument);
    applyRecord(VIEWS.coins, coins, contextTopics.venue_a, coin, aContext({ coin, markPrice: price }));
    applyRecord(VIEWS.books, books, bookTopics.venue_a, coin, aBookUpdate(2, { instrument: coin }));
  }
  applyRecord(VIEWS.coins, coins, perpDexTopic, 'orb', aPerpDex());
  applyRecord(VIEWS.events, events, eventTopic, 'evt_live', anEvent({ universalId: 'evt_live' }));
  const meta = { topic: '', partition: 0, offset: 0, seq: 1, key: 'BTC', receivedAt: NOON_MS };
  const traded = { id: `live:${price}`, provider: 'venue_a_perp', marketId: 'BTC', instrument: 'BTC', price };
  await store.insert('trades', [tradesTable.row(aTrade(traded), meta)]);
  const prices = { open: price, high: price, low: price, close: price };
  const candle = aCandle({ openTime: NOON_MS, receivedAt: NOON_MS, ...prices });
  await store.insert('candle_bars', [candleBarsTable.row(candle, meta)]);
}

const get = (path: string, token: string) => service.request('GET', path, { token });

/** The URL of a shared route about a market, a day, an event or an account of the data set. */
async function urlOf({ path, query }: Pick<Route, 'path' | 'query'>): Promise<string> {
  if ('date' in query.shape) return `${path}?date=${DAY}`;
  if (query.shape.kind instanceof z.ZodEnum) return `${pathOf(path)}?kind=${query.shape.kind.options[0]}`;
  if (!('user' in query.shape)) return pathOf(path);
  const [{ request }] = (await readInfoResponses()).filter(({ request: { user } }) => user !== undefined) as [
    InfoResponse,
  ];
  return `${path}?user=${request.user}`;
}

/** Fills in a path with a market or an event of the data set. */
function pathOf(path: string): string {
  const { events } = views;
  const [first] = events.listed.flat().filter(({ universalId }) => events.arbitrage.has(universalId));
  const names = { ...ALL_NAMES, universalId: first!.universalId };
  return Object.entries(names).reduce((filled, [name, value]) => filled.replace(`:${name}`, value), path);
}
async function responsesOf(token: string): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  for (const route of SHARED) {
    const { status, body } = await get(await urlOf(route), token);
    expect(status, `${route.path} ${JSON.stringify(body)}`).toBe(200);
    responses[route.path] = body;
  }
  return responses;
}

describe('the tables of the data set', () => {
  it('are separate from the live tables and are filled once, however many processes fill them', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => openTables(store, records)));
    const [sandboxStore] = opened;
    expect(new Set(opened.map(({ database }) => database)).size).toBe(1);
    expect(sandboxStore!.database).toMatch(/^parallax_sandbox_[0-9a-f]{12}$/);
    for (const [{ name }, rows] of rowsOf(records)) {
      const [stored] = await sandboxStore!.query<{ rows: number }>(
        `SELECT toFloat64(count()) AS rows FROM ${name} FINAL`,
      );
      expect([name, stored!.rows]).toEqual([name, rows.length]);
    }
    // The rows of a table with a retention stay too.
    const [board] = await sandboxStore!.query<{ engine: string }>(
      "SELECT engine_full AS engine FROM system.tables WHERE database = currentDatabase() AND name = 'leaderboard'",
    );
    expect(board!.engine).not.toContain('TTL');
    // Complete tables are left unchanged.
    await openTables(store, records);
    const [live] = await store.query<{ rows: number }>('SELECT toFloat64(count()) AS rows FROM trades');
    expect(live!.rows).toBe(1);
  });

  it('are completed after an interrupted fill, and another data set gets another database', async () => {
    const sandboxStore = await openTables(store, records);
    for (const { name } of MARKET_TABLES.slice(1)) await sandboxStore.command(`TRUNCATE TABLE ${name}`);
    await openTables(store, records);
    const bars = `${COINS}/BTC/candles?interval=1m`;
    expect((await get(bars, sandboxed)).body.candles.length).toBeGreaterThan(20);
    const fewer = await openTables(
      store,
      records.filter(({ topic }) => !candleBarsTable.fromTopics.some(({ name }) => name === topic)),
    );
    expect(fewer.database).not.toBe(sandboxStore.database);
    expect(await fewer.query('SELECT coin FROM candle_bars')).toEqual([]);
  });

  it('are opened again after a failure of the store', async () => {
    let isDown = true;
    const sandbox = openSandbox({
      database: store.database,
      inDatabase: (name) => (isDown ? Promise.reject(new Error('down')) : store.inDatabase(name)),
    });
    const { views: read, store: sandboxStore } = await sandbox.data();
    expect(read.coins.venue_a.contexts.has('BTC')).toBe(true);
    const count = () => sandboxStore.query<{ rows: number }>('SELECT toFloat64(count()) AS rows FROM trades FINAL');
    await expect(count()).rejects.toThrow('down');
    isDown = false;
    expect((await count())[0]!.rows).toBeGreaterThan(0);
  });
});

describe('a sandbox key', () => {
  it(
    'gets the data set from every market and event route, marked with X-Svc-Sandbox',
    async () => {
      for (const route of SHARED) {
        const { path } = route;
        const url = await urlOf(route);
        const [live, fixed] = [await get(url, service.admin), await get(url, sandboxed)];
        expect(fixed.status, path).toBe(200);
        expect([fixed.headers[SANDBOX_HEADER], live.headers[SANDBOX_HEADER]], path).toEqual(['true', undefined]);
        if (!SAME_FOR_ALL.includes(path)) expect(fixed.text, path).not.toBe(live.text);
      }
    },
    SLOW_MS,
  );

  it.each(['venue_b', 'venue_a'])(
    'gets the fills of a wallet of %s that is in the data set, and none of another',
    async (venue) => {
      const bind = (address: string, token: string) =>
        service.request('POST', '/v1/me/wallets', { token, body: { provider: venue, address, label: '' } });
      const rows = records.filter(({ topic }) => topic === ledgerEventTopic.name);
      const row = rows
        .map(({ value }) => value as LedgerEventRow)
        .find(({ account, kind }) => account.startsWith(venue) && kind === 'fill')!;
      const address = row.account.slice(`${venue}:`.length);
      for (const token of [service.admin, sandboxed]) await bind(address, token);
      const { body: other } = await bind(`0x${'00'.repeat(20)}`, sandboxed);
      const fills = await get(`/v1/me/fills?limit=500&provider=${venue}`, sandboxed);
      expect(fills.headers[SANDBOX_HEADER]).toBe('true');
      expect(fills.body.fills.map(({ id }: { id: string }) => id)).toContain(tradeIdOf(row.id));
      expect((await get(`/v1/me/fills?walletId=${other.id}`, sandboxed)).body.fills).toEqual([]);
      expect((await get('/v1/me/fills', service.admin)).body.fills).toEqual([]);
    },
  );

  it('gets figures, trades and bars of a coin', async () => {
    const { contexts } = views.coins.venue_a;
    const coin = await get(`${COINS}/BTC`, sandboxed);
    expect(coin.body.markPx).toBe(Number(contexts.get('BTC')!.markPrice));
    expect((await get(`${COINS}/BTC/trades?limit=200`, sandboxed)).body.trades).toHaveLength(200);
    const { candles } = (await get(`${COINS}/BTC/candles?interval=1m`, sandboxed)).body;
    expect(candles.length).toBeGreaterThan(20);
    expect((await get(`${COINS}/BTC/candles`, sandboxed)).body.candles).toHaveLength(2);
    const trades = await get(pathOf('/v1/events/:universalId/trades'), sandboxed);
    expect(trades.body.trades.length).toBeGreaterThan(0);
  });

  it('gets lists, trades, bars and books of a pair and a contract, and a dex without contracts', async () => {
    const root = '/v1/markets/venue_a';
    const { pairs } = (await get(`${root}/spot/pairs`, sandboxed)).body;
    // Of two pairs with the names of HYPE-USDC only one has the name.
    expect(pairs.filter(({ pair }: { pair: string }) => pair === 'HYPE-USDC')).toMatchObject([{ index: 107 }]);
    for (const path of [`${root}/spot/pairs/HYPE-USDC`, `${root}/perp-dex/orb/contracts/GOLD`]) {
      const read = async (suffix: string) => (await get(`${path}${suffix}`, sandboxed)).body;
      expect((await read('')).markPrice, path).toBeGreaterThan(0);
      expect((await read('/trades?limit=5')).trades, path).toHaveLength(5);
      expect((await read('/candles?interval=1m')).candles.length, path).toBeGreaterThan(1);
      expect((await read('/orderbook')).bids, path).toHaveLength(20);
    }
    const { dexes } = (await get(`${root}/perp-dex`, sandboxed)).body;
    expect(dexes.map(({ name }: { name: string }) => name).slice(0, 3)).toEqual(['orb', 'lun', 'nova']);
    expect((await get(`${root}/perp-dex/nova/contracts`, sandboxed)).body).toEqual({ contracts: [] });
  });

  it('gets a board whose legs state since when they are live', async () => {
    const { rows } = (await get('/v1/events/board?limit=1', sandboxed)).body;
    expect(rows).toMatchObject([{ legs: [{ state: 'live' }, { state: 'live' }] }]);
    for (const { since } of rows[0].legs) expect(since).toMatch(/^2026-01-15T1[23]:/);
  });

  it('gets a leaderboard', async () => {
    const path = '/v1/markets/venue_a/leaderboard';
    expect((await get(path, service.admin)).body).toMatchObject({ capturedAt: null, rows: [] });
    const { body } = await get(`${path}?sortBy=vlm&order=desc&limit=3`, sandboxed);
    expect(body).toMatchObject({ total: 250, count: 3, rows: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] });
    const trader = await get(`${path}?sortBy=vlm&address=${body.rows[2].ethAddress}`, sandboxed);
    expect(trader.body.trader).toEqual(body.rows[2]);
  });

  it('gets a day of daily rows of perps and contracts', async () => {
    const path = `/v1/markets/venue_a/daily?date=${DAY}`;
    expect((await get(path, service.admin)).body).toMatchObject({ count: 0, snapshots: [] });
    const { body } = await get(path, sandboxed);
    const rows: { symbol: string; complete: boolean; amount: number }[] = body.snapshots;
    expect(rows.map(({ symbol }) => symbol)).toEqual(expect.arrayContaining(['BTC', 'ETH', 'SOL', 'orb:GOLD']));
    expect(rows.every(({ complete, amount }) => complete && amount > 0)).toBe(true);
    expect((await get(`${path}&market=spot`, sandboxed)).body.snapshots).toEqual([]);
  });

  it('shares no cached responses with live keys, whoever requests first', async () => {
    // No response is cached.
    await restart();
    const first = { [`${COINS}/BTC`]: service.admin, [`${COINS}/BTC/trades?limit=1`]: sandboxed };
    for (const [path, firstToken] of Object.entries(first)) {
      const other = firstToken === sandboxed ? service.admin : sandboxed;
      const [one, two] = [await get(path, firstToken), await get(path, other)];
      expect(one.text).not.toBe(two.text);
      expect((await get(path, firstToken)).text).toBe(one.text);
      expect((await get(path, other)).text).toBe(two.text);
      const live = firstToken === sandboxed ? two : one;
      expect(live.text).toContain(LIVE_PRICE);
      expect(live.headers[SANDBOX_HEADER]).toBeUndefined();
    }
    // The same for concurrent requests, which share a computation.
    const path = `${COINS}/BTC/candles?interval=1m`;
    const [live, fixed] = await Promise.all([get(path, service.admin), get(path, sandboxed)]);
    expect(live.body.candles).toHaveLength(1);
    expect(fixed.body.candles.length).toBeGreaterThan(20);
  });

  it('sees no live coin or event, and errors are marked too', async () => {
    for (const path of [`${COINS}/LIVEONLY`, `${COINS}/LIVEONLY/trades`, '/v1/events/evt_live/spread']) {
      expect((await get(path, service.admin)).status, path).toBe(200);
      const got = await get(path, sandboxed);
      expect([got.status, got.headers[SANDBOX_HEADER]], path).toEqual([404, 'true']);
    }
    const events: { universalId: string }[] = (await get('/v1/events?limit=1000', sandboxed)).body.events;
    expect(events.length).toBeGreaterThan(0);
    expect(events.map(({ universalId }) => universalId)).not.toContain('evt_live');
    const bad = await get(`${COINS}/BTC/candles?interval=7m`, sandboxed);
    expect([bad.status, bad.headers[SANDBOX_HEADER]]).toEqual([400, 'true']);
  });

  it('uses the quota and needs the scope like any key, and public routes are not marked', async () => {
    const got = await get(`${COINS}/BTC`, sandboxed);
    const limit = DEFAULT_QUOTAS.enterprise['markets.read'].minute;
    expect([got.headers['x-quota-sku'], got.headers['x-quota-limit']]).toEqual(['markets.read', String(limit)]);
    const narrow = (await service.key(service.admin, ['stream'], true)).token;
    expect((await get(`${COINS}/BTC`, narrow)).status).toBe(403);
    const health = await get('/health', sandboxed);
    expect([health.status, health.headers[SANDBOX_HEADER]]).toEqual([200, undefined]);
  });

  it(
    'gets the same responses after a restart and after live data changed',
    async () => {
      const before = await responsesOf(sandboxed);
      await restart();
      await addLiveData('8.25');
      applyRecord(VIEWS.events, service.views.events, eventTopic, pathOf(':universalId'), null);
      expect(await responsesOf(sandboxed)).toEqual(before);
    },
    SLOW_MS,
  );
});
