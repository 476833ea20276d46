import { describe, expect, it, onTestFinished } from 'vitest';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { eventsTable } from '#schemas/tables/events';
import { aCandle } from '#schemas/testing/records.fixture';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { insertRows } from '../../../testing/insert-rows.fixture.ts';
import { openApp } from '../../../testing/open-app.fixture.ts';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { aLink, anEvent, applyRecord, NOON_MS } from '../../../testing/records.fixture.ts';
import type { TestApp } from '../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getEventCandles } from './get-candles.ts';

const PATH = '/v1/events/evt_1/candles';
const LINKS = [
  aLink(),
  aLink({ provider: 'venue_a_outcome', providerMarketId: '#10', yesInstrument: '#10', noInstrument: '#11' }),
  aLink({ providerMarketId: '0xunused', yesInstrument: '333', noInstrument: null, used: false }),
];

function add({ views }: TestApp, fields: Partial<UniversalEvent> = { links: LINKS }): void {
  applyRecord(VIEWS.events, views.events, eventTopic, 'evt_1', anEvent(fields));
}

/** What the store returns without bars. */
const answerOf = (sql: string) => (sql.includes('AS packed') ? [{ packed: '', counted: 0 }] : []);

/** The instruments of the last statement. */
async function instrumentsFor(query: string): Promise<unknown[]> {
  const app = await openApp();
  add(app);
  let used: Readonly<Record<string, unknown>> = {};
  app.setQuery((sql, parameters) => {
    used = parameters;
    return answerOf(sql);
  });
  const response = await app.get(`${PATH}${query}`);
  expect(response.status, response.body).toBe(200);
  getEventCandles.response.parse(response.json());
  expect(response.json()).toEqual({ universalId: 'evt_1', candles: [], fetchedAt: '2026-03-01T12:00:00.000Z' });
  return Object.keys(used)
    .filter((name) => name.startsWith('coin'))
    .map((name) => used[name]);
}

describe('GET /v1/events/{universalId}/candles', () => {
  it('reads both outcomes of every linked market whose link is used', async () => {
    expect(await instrumentsFor('')).toEqual(['#10', '#11', '111', '222']);
  });

  it('returns the candles that the store joined, as numbers, and all of the bucket in which the limit falls', async () => {
    const app = await openApp();
    add(app);
    const rows = [
      ';0 60000 3 0.5 0.75 0.25 0.5 10 ',
      ';0 120000 4 0.5 0.75 0.25 0.5 10.5 ',
      ';1 120000 1 0.000000000000000001 0.1 0 0.1 0.3 ',
    ];
    const answer = [{ packed: rows.join(''), counted: rows.length }];
    app.setQuery((sql) => (sql.includes('AS packed') ? answer : []));
    const { candles } = (await app.get(`${PATH}?interval=1m&limit=1`)).json() as { candles: unknown };
    const common = { ts: 120_000, source: 'trades' };
    const [first, second] = [LINKS[1]!, LINKS[0]!].map(({ provider, providerMarketId }) => ({
      provider,
      marketId: providerMarketId,
    }));
    expect(candles).toEqual([
      { ...first, ...common, trades: 4, open: 0.5, high: 0.75, low: 0.25, close: 0.5, volume: 10.5 },
      { ...second, ...common, trades: 1, open: 1e-18, high: 0.1, low: 0, close: 0.1, volume: 0.3 },
    ]);
  });

  it.each([
    ['venue_b', ['111', '222']],
    ['venue_a_outcome', ['#10', '#11']],
    ['venue_a', ['#10', '#11']],
  ])('reads only markets of the provider %s', async (provider, instruments) => {
    expect(await instrumentsFor(`?provider=${provider}`)).toEqual(instruments);
  });

  it.each([
    'provider=venue_a_perp',
    'provider=venue_c',
    'provider=',
    'interval=2m',
    'limit=x',
    'start_time=2&end_time=2',
  ])('answers 400 for %j and names the field', async (query) => {
    const app = await openApp();
    add(app);
    const response = await app.get(`${PATH}?${query}`);
    expect(response.status).toBe(400);
    const { error } = response.json() as { error: { code: string; message: string } };
    expect(error.code).toBe('validation_failed');
    expect(error.message).toContain(query.split('=')[0]);
  });

  it('answers 404 for an unknown event', async () => {
    const app = await openApp();
    const response = await app.get(PATH);
    expect(response.status).toBe(404);
    expect((response.json() as { error: { code: string } }).error.code).toBe('not_found');
  });

  it('returns the same candles of an event that is open, resolved and archived', async () => {
    const { store, close } = await openTestStore();
    onTestFinished(close);
    const minute = { provider: 'venue_b', source: 'trades', openTime: NOON_MS - 60_000, volume: '2', trades: 1 };
    await insertRows(store, candleBarsTable, [
      aCandle({ ...minute, coin: '111', open: '0.4', high: '0.4', low: '0.4', close: '0.4' }),
      aCandle({ ...minute, coin: '222', open: '0.7', high: '0.7', low: '0.7', close: '0.7' }),
    ]);
    const app = await openApp({ app: { store } });
    const read = async () => {
      app.advance(30_001);
      return ((await app.get(`${PATH}?interval=1m`)).json() as { candles: unknown }).candles;
    };
    add(app, { links: [aLink()] });
    const open = await read();
    const prices = { open: 0.4, high: 0.4, low: 0.3, close: 0.4 };
    const bar = { provider: 'venue_b', marketId: '0xmarket', ts: NOON_MS - 60_000, ...prices };
    expect(open).toEqual([{ ...bar, volume: 4, trades: 2, source: 'trades' }]);

    const resolved = anEvent({ status: 'resolved', overAt: NOON_MS, links: [aLink({ marketState: 'resolved' })] });
    add(app, resolved);
    expect(await read()).toEqual(open);

    await insertRows(store, eventsTable, [resolved]);
    const receivedAt = NOON_MS + 92 * 86_400_000;
    const mark = { receivedAt, tick: true, hour: true, day: false };
    applyRecord(VIEWS.events, app.views.events, clockTopic, 'clock', mark, receivedAt);
    expect(app.views.events.byId.size).toBe(0);
    expect(await read()).toEqual(open);
  });

  it('does not cache an empty list', async () => {
    const app = await openApp();
    add(app, { links: [] });
    expect((await app.get(PATH)).json()).toEqual({
      universalId: 'evt_1',
      candles: [],
      fetchedAt: '2026-03-01T12:00:00.000Z',
    });
    let statements = 0;
    add(app);
    app.setQuery((sql) => {
      statements += 1;
      return answerOf(sql);
    });
    await app.get(PATH);
    await app.get(PATH);
    expect(statements).toBe(10);
  });
});
