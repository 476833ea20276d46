import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { tradesTable } from '#schemas/tables/trades';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import type { Trade } from '#schemas/topics/normalised';
import { sandboxRequests } from '../../../sandbox/info-responses.ts';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { anAnomaly, insertAnomalies } from '../../../testing/oracle.fixture.ts';
import { aLink, anEvent, applyRecord, aTrade, createViews, NOON_MS } from '../../../testing/records.fixture.ts';
import { openTestService, type TestService } from '../../../testing/test-service.fixture.ts';
import { VIEWS, type Views } from '../../../views/views.ts';
import { getAnomalyFeed } from './get-anomaly-feed.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OWN = `0x${'11'.repeat(20)}`;
const OTHER = `0x${'22'.repeat(20)}`;

let opened: Awaited<ReturnType<typeof openTestStore>>;
let store: Store;
let service: TestService;
/** The views of sandbox keys. */
let sandboxViews: Views;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());
beforeEach(async () => {
  for (const table of ['anomalies', 'trades']) await store.command(`TRUNCATE TABLE ${table}`);
  sandboxViews = createViews();
  const data = { views: sandboxViews, store: { query: async () => [] }, ingest: sandboxRequests([], new Map()) };
  service = await openTestService({ store, sandbox: { data: async () => data } });
  tick(NOON_MS);
  for (const nth of [1, 2, 3])
    addEvent({ universalId: `evt_${nth}`, links: [aLink({ providerMarketId: `0xm${nth}`, yesInstrument: `${nth}` })] });
  await insertAnomalies(
    store,
    [1, 2, 3].map((nth) => {
      const [id, universalId, marketId] = [`an_${nth}`, `evt_${nth}`, `0xm${nth}`];
      return anAnomaly({ id, universalId, marketId, ts: NOON_MS - nth * HOUR_MS });
    }),
  );
});
afterEach(() => service.close());

const addEvent = (fields: Partial<UniversalEvent>) => {
  const event = anEvent(fields);
  applyRecord(VIEWS.events, service.views.events, eventTopic, event.universalId, event);
};
const tick = (receivedAt: number, views: Views = service.views) =>
  applyRecord(
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
const bind = (provider = 'venue_b', address = OWN, token = service.admin) =>
  service.request('POST', '/v1/me/wallets', { token, body: { provider, address, label: '' } });
const read = async (query = '', token = service.admin) => {
  const { status, body } = await service.request('GET', `/v1/me/anomaly-feed${query}`, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  getAnomalyFeed.response.parse(body);
  return body as { anomalies: { id: string; universalId: string }[]; window: { from: string; to: string } };
};
const ids = async (query = '', token = service.admin) => (await read(query, token)).anomalies.map(({ id }) => id);

describe('GET /v1/me/anomaly-feed', () => {
  it('returns the anomalies of all events if no bound wallet has traded', async () => {
    await trade(1);
    expect(await ids()).toEqual(['an_1', 'an_2', 'an_3']);
    await bind('venue_b', OTHER.replaceAll('2', '3'));
    expect(await ids()).toEqual(['an_1', 'an_2', 'an_3']);
  });

  it('returns only the events in whose markets a bound wallet was maker or taker', async () => {
    await bind();
    await trade(2);
    expect(await ids()).toEqual(['an_2']);
    await trade(3, { maker: OWN, taker: null });
    expect(await ids()).toEqual(['an_2', 'an_3']);
    expect(await ids('?limit=1')).toEqual(['an_2']);
  });

  it('ignores fills that are reverted, older than 30 days, or of a venue that the binding does not cover', async () => {
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

  it('applies a binding of venue_a to its outcome markets too', async () => {
    await bind('venue_a');
    addEvent({ universalId: 'evt_1', links: [aLink({ provider: 'venue_a_outcome', providerMarketId: '#70' })] });
    await trade(1, { provider: 'venue_a_outcome', marketId: '#70', instrument: '#70' });
    await insertAnomalies(store, [anAnomaly({ id: 'an_70', provider: 'venue_a_outcome', marketId: '#70' })]);
    expect(await ids()).toEqual(['an_70']);
  });

  it('uses only the wallets of the own organization', async () => {
    const stranger = (await service.organization('Stranger')).token;
    await bind('venue_b', OWN, stranger);
    await trade(2);
    expect(await ids()).toEqual(['an_1', 'an_2', 'an_3']);
    expect(await ids('', stranger)).toEqual(['an_2']);
  });

  it('assigns anomalies from before a merge to the remaining event', async () => {
    await bind();
    await trade(2);
    addEvent({ universalId: 'evt_1', links: [], mergedInto: 'evt_2' });
    addEvent({
      universalId: 'evt_2',
      links: ['1', '2'].map((nth) => aLink({ providerMarketId: `0xm${nth}`, yesInstrument: nth })),
    });
    expect((await read()).anomalies.map(({ id, universalId }) => `${id} ${universalId}`)).toEqual([
      'an_1 evt_2',
      'an_2 evt_2',
    ]);
  });

  it('assigns the anomalies of a market to the event that it is linked to now', async () => {
    await bind();
    await trade(2);
    const [first, second] = ['1', '2'].map((nth) => aLink({ providerMarketId: `0xm${nth}`, yesInstrument: nth }));
    addEvent({ universalId: 'evt_1', links: [] });
    addEvent({ universalId: 'evt_2', links: [first!, second!] });
    const feed = async () => (await read()).anomalies.map(({ id, universalId }) => `${id} ${universalId}`);
    expect(await feed()).toEqual(['an_1 evt_2', 'an_2 evt_2']);
    addEvent({ universalId: 'evt_2', links: [second!] });
    addEvent({ universalId: 'evt_1', links: [first!] });
    expect(await feed()).toEqual(['an_2 evt_2']);
  });

  it('covers markets of archived events, and returns all anomalies if a wallet traded only perpetuals', async () => {
    await bind('venue_a');
    await trade(1, { provider: 'venue_a_perp', marketId: 'BTC', instrument: 'BTC' });
    expect(await ids()).toEqual(['an_1', 'an_2', 'an_3']);
    await bind();
    await trade(2);
    applyRecord(VIEWS.events, service.views.events, eventTopic, 'evt_2', null);
    expect((await read()).anomalies).toMatchObject([{ id: 'an_2', universalId: 'evt_2' }]);
  });

  it("looks back 24 hours from the pipeline's clock, and 30 days at most", async () => {
    const old = { id: 'an_old', ts: NOON_MS - 30 * DAY_MS };
    await insertAnomalies(store, [anAnomaly({ ...old, id: 'an_older', ts: old.ts - 1 }), anAnomaly(old)]);
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

  it('returns a window that includes all its anomalies', async () => {
    await insertAnomalies(store, [anAnomaly({ id: 'an_now', ts: NOON_MS + 1_500 })]);
    expect((await read()).window.to).toBe('2026-03-01T12:00:01.500Z');
  });

  it.each(['since=soon', 'since=', 'limit=x'])('refuses %s and names the parameter', async (query) => {
    const { status, body } = await service.request('GET', `/v1/me/anomaly-feed?${query}`);
    expect([status, body.error.code]).toEqual([400, 'validation_failed']);
    expect(body.error.message).toContain(query.split('=')[0]);
  });

  it('returns only the sandbox data set to a sandbox key, with X-Svc-Sandbox', async () => {
    tick(NOON_MS - 45 * DAY_MS, sandboxViews);
    const { token } = await service.key(service.admin, ['read', 'admin'], true);
    const { body, headers } = await service.request('GET', '/v1/me/anomaly-feed', { token });
    expect(body).toEqual({
      anomalies: [],
      window: { from: '2026-01-14T12:00:00.000Z', to: '2026-01-15T12:00:00.000Z' },
    });
    expect(headers).toMatchObject({ 'x-svc-sandbox': 'true', 'cache-control': 'no-store' });
  });
});
