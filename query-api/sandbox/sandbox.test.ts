import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '#infra/store/migrate';
import { openStore } from '#infra/store/open-store';
import type { Store } from '#infra/store/store';
import { SCOPES } from '#schemas/domain/control/state';
import { DEFAULT_QUOTAS } from '#schemas/domain/quota/plan-quotas';
import { candlesTable } from '#schemas/tables/candles';
import { tradesTable } from '#schemas/tables/trades';
import { eventTopic } from '#schemas/topics/derived';
import { bookTopics, contextTopics, instrumentTopics } from '#schemas/topics/normalised';
import { ROUTES } from '../routes/index.ts';
import { aBookUpdate, aContext, anEvent, anInstrument, aTrade, feed, NOON_MS } from '../testing/records.fixture.ts';
import { type AppWorld, openAppWorld } from '../testing/world.fixture.ts';
import { VIEWS } from '../views/views.ts';
import { MARKET_TABLES, rowsOf, viewsOf } from './data-set.ts';
import { readDataSet } from './data-set-file.ts';
import { openSandbox } from './open-sandbox.ts';
import { openTables } from './open-tables.ts';

const COINS = '/v1/markets/venue_a/coins';
const MARK = 'x-svc-sandbox';
/** Routes of markets and events. */
const SHARED = ROUTES.filter(({ isOwn, scope }) => !isOwn && scope !== null);
/** What tells of no market has no other answer. */
const SAME_FOR_ALL = ['/v1/webhooks/event-catalog'];
/** In the data set, the coin is at another price. */
const LIVE_PRICE = '7.5';

let folder: string;
let store: Store;
let world: AppWorld;
let sandboxed: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-query-api-'));
  await open();
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A service on the folder: its log is new each time, its store stays. */
async function open(): Promise<void> {
  store = await openStore('embedded', folder);
  await migrate(store);
  world = await openAppWorld({ store, sandbox: openSandbox(store) });
  sandboxed = (await world.key(world.admin, SCOPES, true)).token;
  await tellLive(LIVE_PRICE);
}
async function close(): Promise<void> {
  await world.close();
  await store.close();
}

/** Tells the live side of a coin that the data set has too, of one that it has not, and of an event. */
async function tellLive(price: string): Promise<void> {
  const { coins, books, events } = world.views;
  for (const coin of ['BTC', 'LIVEONLY']) {
    feed(VIEWS.coins, coins, instrumentTopics.venue_a, coin, anInstrument({ coin }));
    feed(VIEWS.coins, coins, contextTopics.venue_a, coin, aContext({ coin, markPrice: price }));
    feed(VIEWS.books, books, bookTopics.venue_a, coin, aBookUpdate(2, { instrument: coin }));
  }
  feed(VIEWS.events, events, eventTopic, 'evt_live', anEvent({ universalId: 'evt_live' }));
  const meta = { topic: '', partition: 0, offset: 0, seq: 1, key: 'BTC', receivedAt: NOON_MS };
  const traded = { id: `live:${price}`, provider: 'venue_a_perp', marketId: 'BTC', instrument: 'BTC', price };
  await store.insert('trades', [tradesTable.row(aTrade(traded), meta)]);
  const bar = { provider: 'venue_a_perp', coin: 'BTC', openTime: NOON_MS, receivedAt: NOON_MS };
  const prices = { open: price, high: price, low: price, close: price };
  const candle = { ...bar, ...prices, volume: '1', trades: 1, source: 'venue_node' };
  await store.insert('candles', [candlesTable.row(candle, meta)]);
}

const ask = (path: string, token: string) => world.ask('GET', path, { token });

/** A path of each shared route, with a coin and an event of the data set. */
async function pathOf(path: string): Promise<string> {
  const { events } = viewsOf(await readDataSet());
  const [first] = events.listed.flat().filter(({ universalId }) => events.arbitrage.has(universalId));
  return path.replace(':coin', 'BTC').replace(':universalId', first!.universalId);
}
async function answersOf(token: string): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const { path } of SHARED) {
    const { status, body } = await ask(await pathOf(path), token);
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
    answers[path] = body;
  }
  return answers;
}

describe('a sandbox key', () => {
  it('is answered from the data set by every route of markets and events, marked', async () => {
    for (const { path } of SHARED) {
      const url = await pathOf(path);
      const [live, fixed] = [await ask(url, world.admin), await ask(url, sandboxed)];
      expect(fixed.status, path).toBe(200);
      expect([fixed.headers[MARK], live.headers[MARK]], path).toEqual(['true', undefined]);
      if (!SAME_FOR_ALL.includes(path)) expect(fixed.text, path).not.toBe(live.text);
    }
  });

  it('is given figures, trades and bars, also without a window', async () => {
    const { contexts } = viewsOf(await readDataSet()).coins;
    const coin = await ask(`${COINS}/BTC`, sandboxed);
    expect(coin.body.markPx).toBe(Number(contexts.get('BTC')!.markPrice));
    expect((await ask(`${COINS}/BTC/trades?limit=200`, sandboxed)).body.trades).toHaveLength(200);
    const { candles } = (await ask(`${COINS}/BTC/candles?interval=1m`, sandboxed)).body;
    expect(candles.length).toBeGreaterThan(20);
    expect((await ask(`${COINS}/BTC/candles`, sandboxed)).body.candles).toHaveLength(2);
    const trades = await ask(await pathOf('/v1/events/:universalId/trades'), sandboxed);
    expect(trades.body.trades.length).toBeGreaterThan(0);
  });

  it('shares no kept answer with live keys, whoever asks first', async () => {
    const first = { [`${COINS}/BTC`]: world.admin, [`${COINS}/BTC/trades?limit=1`]: sandboxed };
    for (const [path, asker] of Object.entries(first)) {
      const other = asker === sandboxed ? world.admin : sandboxed;
      const [one, two] = [await ask(path, asker), await ask(path, other)];
      expect(one.text).not.toBe(two.text);
      expect((await ask(path, asker)).text).toBe(one.text);
      expect((await ask(path, other)).text).toBe(two.text);
      const live = asker === sandboxed ? two : one;
      expect(live.text).toContain(LIVE_PRICE);
      expect(live.headers[MARK]).toBeUndefined();
    }
    // At the same time, where an answer that is being worked out is shared.
    const path = `${COINS}/BTC/candles?interval=1m`;
    const [live, fixed] = await Promise.all([ask(path, world.admin), ask(path, sandboxed)]);
    expect(live.body.candles).toHaveLength(1);
    expect(fixed.body.candles.length).toBeGreaterThan(20);
  });

  it('sees no live coin or event, and is told so under the mark', async () => {
    for (const path of [`${COINS}/LIVEONLY`, `${COINS}/LIVEONLY/trades`, '/v1/events/evt_live/spread']) {
      expect((await ask(path, world.admin)).status, path).toBe(200);
      const got = await ask(path, sandboxed);
      expect([got.status, got.headers[MARK]], path).toEqual([404, 'true']);
    }
    const events: { universalId: string }[] = (await ask('/v1/events?limit=1000', sandboxed)).body.events;
    expect(events.length).toBeGreaterThan(0);
    expect(events.map(({ universalId }) => universalId)).not.toContain('evt_live');
    const bad = await ask(`${COINS}/BTC/candles?interval=7m`, sandboxed);
    expect([bad.status, bad.headers[MARK]]).toEqual([400, 'true']);
  });

  it('is answered the same after live data changed, and after a restart', async () => {
    const before = await answersOf(sandboxed);
    await close();
    await open();
    await tellLive('8.25');
    feed(VIEWS.events, world.views.events, eventTopic, await pathOf(':universalId'), null);
    expect(await answersOf(sandboxed)).toEqual(before);
  });

  it('takes of the quota and needs the scope as any key, and the public routes stay live', async () => {
    const got = await ask(`${COINS}/BTC`, sandboxed);
    const limit = DEFAULT_QUOTAS.enterprise['markets.read'].minute;
    expect([got.headers['x-quota-sku'], got.headers['x-quota-limit']]).toEqual(['markets.read', String(limit)]);
    const narrow = (await world.key(world.admin, ['stream'], true)).token;
    expect((await ask(`${COINS}/BTC`, narrow)).status).toBe(403);
    const health = await ask('/health', sandboxed);
    expect([health.status, health.headers[MARK]]).toEqual([200, undefined]);
  });
});

describe('the tables of the data set', () => {
  it('stand beside the live ones, filled once however many fill them', async () => {
    const records = await readDataSet();
    const opened = await Promise.all([1, 2, 3].map(() => openTables(store, records)));
    const [own] = opened;
    expect(new Set(opened.map(({ database }) => database)).size).toBe(1);
    expect(own!.database).toMatch(/^parallax_sandbox_[0-9a-f]{12}$/);
    for (const [{ name }, rows] of rowsOf(records)) {
      const [held] = await own!.query<{ rows: number }>(`SELECT toFloat64(count()) AS rows FROM ${name} FINAL`);
      expect([name, held!.rows]).toEqual([name, rows.length]);
    }
    // What is filled is left as it is.
    await openTables(store, records);
    const [live] = await store.query<{ rows: number }>('SELECT toFloat64(count()) AS rows FROM trades');
    expect(live!.rows).toBe(1);
  });

  it('are filled to the end after a process that died meanwhile, and another set has others', async () => {
    const records = await readDataSet();
    const own = await openTables(store, records);
    for (const { name } of MARKET_TABLES.slice(1)) await own.command(`TRUNCATE TABLE ${name}`);
    await openTables(store, records);
    const bars = `${COINS}/BTC/candles?interval=1m`;
    expect((await ask(bars, sandboxed)).body.candles.length).toBeGreaterThan(20);
    const fewer = await openTables(
      store,
      records.filter(({ topic }) => !topic.startsWith('derived.candles')),
    );
    expect(fewer.database).not.toBe(own.database);
    expect(await fewer.query('SELECT coin FROM candles')).toEqual([]);
  });

  it('are asked again after a store that was away', async () => {
    let isAway = true;
    const sandbox = openSandbox({
      database: store.database,
      inDatabase: (name) => (isAway ? Promise.reject(new Error('away')) : store.inDatabase(name)),
    });
    const { views, store: own } = await sandbox.data();
    expect(views.coins.contexts.has('BTC')).toBe(true);
    const count = () => own.query<{ rows: number }>('SELECT toFloat64(count()) AS rows FROM trades FINAL');
    await expect(count()).rejects.toThrow('away');
    isAway = false;
    expect((await count())[0]!.rows).toBeGreaterThan(0);
  });
});
