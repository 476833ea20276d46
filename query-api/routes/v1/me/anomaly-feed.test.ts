import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { tradesTable } from '#schemas/tables/trades';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import type { Trade } from '#schemas/topics/normalised';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { anAnomaly, keepAnomalies } from '../../../testing/oracle.fixture.ts';
import { aLink, anEvent, aTrade, createViews, feed, NOON_MS } from '../../../testing/records.fixture.ts';
import { type AppWorld, openAppWorld } from '../../../testing/world.fixture.ts';
import { VIEWS, type Views } from '../../../views/views.ts';
import { getAnomalyFeed } from './get-anomaly-feed.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OWN = `0x${'11'.repeat(20)}`;
const OTHER = `0x${'22'.repeat(20)}`;

let opened: Awaited<ReturnType<typeof openTestStore>>;
let store: Store;
let world: AppWorld;
/** What sandbox keys are told of. */
let sandboxViews: Views;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());
beforeEach(async () => {
  for (const table of ['anomalies', 'trades']) await store.command(`TRUNCATE TABLE ${table}`);
  sandboxViews = createViews();
  const data = { views: sandboxViews, store: { query: async () => [] } };
  world = await openAppWorld({ store, sandbox: { data: async () => data } });
  tick(NOON_MS);
  for (const nth of [1, 2, 3])
    tell({ universalId: `evt_${nth}`, links: [aLink({ providerMarketId: `0xm${nth}`, yesInstrument: `${nth}` })] });
  await keepAnomalies(
    store,
    [1, 2, 3].map((nth) => {
      const [id, universalId, marketId] = [`an_${nth}`, `evt_${nth}`, `0xm${nth}`];
      return anAnomaly({ id, universalId, marketId, ts: NOON_MS - nth * HOUR_MS });
    }),
  );
});
afterEach(() => world.close());

const tell = (fields: Partial<UniversalEvent>) => {
  const event = anEvent(fields);
  feed(VIEWS.events, world.views.events, eventTopic, event.universalId, event);
};
const tick = (receivedAt: number, views: Views = world.views) =>
  feed(
    VIEWS.events,
    views.events,
    clockTopic,
    'clock',
    { receivedAt, tick: true, hour: false, day: false },
    receivedAt,
  );
let version = 0;
const trade = async (nth: number, fields: Partial<Trade> = {}) => {
  const value = aTrade({
    id: `t${nth}`,
    marketId: `0xm${nth}`,
    instrument: `${nth}`,
    maker: OTHER,
    taker: OWN,
    ...fields,
  });
  version += 1;
  const meta = { topic: '', partition: 0, offset: 0, key: '', receivedAt: NOON_MS, seq: version };
  await store.insert('trades', [tradesTable.row(value, meta)]);
};
const bind = (provider = 'venue_b', address = OWN, token = world.admin) =>
  world.ask('POST', '/v1/me/wallets', { token, body: { provider, address, label: '' } });
const read = async (query = '', token = world.admin) => {
  const { status, body } = await world.ask('GET', `/v1/me/anomaly-feed${query}`, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  getAnomalyFeed.response.parse(body);
  return body as { anomalies: { id: string; universalId: string }[]; window: { from: string; to: string } };
};
const ids = async (query = '', token = world.admin) => (await read(query, token)).anomalies.map(({ id }) => id);

describe('GET /v1/me/anomaly-feed', () => {
  it('tells of all events where no bound wallet has traded', async () => {
    await trade(1);
    expect(await ids()).toEqual(['an_1', 'an_2', 'an_3']);
    await bind('venue_b', OTHER.replaceAll('2', '3'));
    expect(await ids()).toEqual(['an_1', 'an_2', 'an_3']);
  });

  it('tells of the events in whose markets a bound wallet was maker or taker', async () => {
    await bind();
    await trade(2);
    expect(await ids()).toEqual(['an_2']);
    await trade(3, { maker: OWN, taker: null });
    expect(await ids()).toEqual(['an_2', 'an_3']);
    expect(await ids('?limit=1')).toEqual(['an_2']);
  });

  it('does not count fills that were taken back, are older than 30 days, or of a venue that the binding is not for', async () => {
    await bind();
    await trade(2);
    await trade(1, { status: 'pending' });
    await trade(1, { status: 'reverted' });
    await trade(3, { ts: NOON_MS - 30 * DAY_MS - 1 });
    await trade(3, { id: 'p', provider: 'venue_a_outcome' });
    expect(await ids()).toEqual(['an_2']);
    await trade(3, { ts: NOON_MS - 30 * DAY_MS });
    expect(await ids()).toEqual(['an_2', 'an_3']);
  });

  it('takes a binding of venue_a for its outcome markets too', async () => {
    await bind('venue_a');
    tell({ universalId: 'evt_1', links: [aLink({ provider: 'venue_a_outcome', providerMarketId: '#70' })] });
    await trade(1, { provider: 'venue_a_outcome', marketId: '#70', instrument: '#70' });
    await keepAnomalies(store, [anAnomaly({ id: 'an_70', provider: 'venue_a_outcome', marketId: '#70' })]);
    expect(await ids()).toEqual(['an_70']);
  });

  it('is about the own organization alone', async () => {
    const stranger = (await world.organization('Stranger')).token;
    await bind('venue_b', OWN, stranger);
    await trade(2);
    expect(await ids()).toEqual(['an_1', 'an_2', 'an_3']);
    expect(await ids('', stranger)).toEqual(['an_2']);
  });

  it("tells what was detected before a merger as the survivor's", async () => {
    await bind();
    await trade(2);
    tell({ universalId: 'evt_1', links: [], mergedInto: 'evt_2' });
    tell({
      universalId: 'evt_2',
      links: ['1', '2'].map((nth) => aLink({ providerMarketId: `0xm${nth}`, yesInstrument: nth })),
    });
    expect((await read()).anomalies.map(({ id, universalId }) => `${id} ${universalId}`)).toEqual([
      'an_1 evt_2',
      'an_2 evt_2',
    ]);
  });

  it("tells what was detected on a market as its event's of now", async () => {
    await bind();
    await trade(2);
    const [first, second] = ['1', '2'].map((nth) => aLink({ providerMarketId: `0xm${nth}`, yesInstrument: nth }));
    tell({ universalId: 'evt_1', links: [] });
    tell({ universalId: 'evt_2', links: [first!, second!] });
    const told = async () => (await read()).anomalies.map(({ id, universalId }) => `${id} ${universalId}`);
    expect(await told()).toEqual(['an_1 evt_2', 'an_2 evt_2']);
    tell({ universalId: 'evt_2', links: [second!] });
    tell({ universalId: 'evt_1', links: [first!] });
    expect(await told()).toEqual(['an_2 evt_2']);
  });

  it('tells of a market whose event is past and forgotten, and of all events where a wallet traded assets alone', async () => {
    await bind('venue_a');
    await trade(1, { provider: 'venue_a_perp', marketId: 'BTC', instrument: 'BTC' });
    expect(await ids()).toEqual(['an_1', 'an_2', 'an_3']);
    await bind();
    await trade(2);
    feed(VIEWS.events, world.views.events, eventTopic, 'evt_2', null);
    expect((await read()).anomalies).toMatchObject([{ id: 'an_2', universalId: 'evt_2' }]);
  });

  it("looks back 24 hours from the pipeline's clock, and 30 days at most", async () => {
    const old = { id: 'an_old', ts: NOON_MS - 30 * DAY_MS };
    await keepAnomalies(store, [anAnomaly({ ...old, id: 'an_older', ts: old.ts - 1 }), anAnomaly(old)]);
    const window = async (query: string) => (await read(query)).window;
    const noon = '2026-03-01T12:00:00.000Z';
    expect(await window('')).toEqual({ from: '2026-02-28T12:00:00.000Z', to: noon });
    expect(await ids('?since=2026-03-01T10:00:00Z')).toEqual(['an_1', 'an_2']);
    expect(await window('?since=2026-03-01T10:00:00Z')).toEqual({ from: '2026-03-01T10:00:00.000Z', to: noon });
    expect(await ids('?since=0')).toEqual(['an_1', 'an_2', 'an_3', 'an_old']);
    expect(await window('?since=0')).toEqual({ from: '2026-01-30T12:00:00.000Z', to: noon });
    expect(await read('?since=2026-03-02')).toEqual({ anomalies: [], window: { from: noon, to: noon } });
    tick(NOON_MS + 22 * HOUR_MS);
    expect(await ids()).toEqual(['an_1', 'an_2']);
  });

  it('has a window that holds what it tells', async () => {
    await keepAnomalies(store, [anAnomaly({ id: 'an_now', ts: NOON_MS + 1_500 })]);
    expect((await read()).window.to).toBe('2026-03-01T12:00:01.500Z');
  });

  it.each(['since=soon', 'since=', 'limit=x'])('refuses %s by name', async (query) => {
    const { status, body } = await world.ask('GET', `/v1/me/anomaly-feed?${query}`);
    expect([status, body.error.code]).toEqual([400, 'validation_failed']);
    expect(body.error.message).toContain(query.split('=')[0]);
  });

  it('tells a sandbox key of its data set alone, and says so', async () => {
    tick(NOON_MS - 45 * DAY_MS, sandboxViews);
    const { token } = await world.key(world.admin, ['read', 'admin'], true);
    const { body, headers } = await world.ask('GET', '/v1/me/anomaly-feed', { token });
    expect(body).toEqual({
      anomalies: [],
      window: { from: '2026-01-14T12:00:00.000Z', to: '2026-01-15T12:00:00.000Z' },
    });
    expect(headers).toMatchObject({ 'x-svc-sandbox': 'true', 'cache-control': 'no-store' });
  });
});
