import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import {
  aMarket,
  anAnomaly,
  aPhase,
  aResolution,
  insertAnomalies,
  insertMarkets,
  insertPhases,
  insertResolutions,
} from '../../../testing/oracle.fixture.ts';
import { aLink, anEvent, applyRecord, NOON_MS } from '../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getActivity } from './get-activity.ts';

const { store, close } = await openTestStore();
afterAll(close);
let test: TestApp;
beforeEach(async () => {
  for (const table of ['anomalies', 'dispute_phases', 'resolutions', 'markets'])
    await store.command(`TRUNCATE TABLE ${table}`);
  test = await createTestApp({ app: { store } });
  addEvent({ canonicalName: 'The question' });
});
afterEach(() => test.app.close());

function addEvent(fields: Partial<UniversalEvent>): void {
  const event = anEvent(fields);
  applyRecord(VIEWS.events, test.views.events, eventTopic, event.universalId, event);
}
interface Page {
  readonly activity: { readonly kind: string; readonly ts: string; readonly record: { readonly id?: string } }[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}
async function read(query = ''): Promise<Page> {
  const response = await test.get(`/v1/events/activity${query}`);
  expect(response.status, response.body).toBe(200);
  return getActivity.response.parse(response.json()) as Page;
}
const iso = (after: number) => new Date(NOON_MS + after).toISOString();
const kindsAndTimes = ({ activity }: Page) => activity.map(({ kind, ts }) => [kind, ts]);

describe('GET /v1/events/activity', () => {
  it('lists anomalies, dispute phases and settlements with their events, newest first, and filters by kind', async () => {
    await insertAnomalies(store, [anAnomaly({ ts: NOON_MS + 2 })]);
    await insertPhases(store, [
      aPhase({ ts: NOON_MS + 3, phase: 'dispute' }),
      aPhase({ id: 'reverted', status: 'reverted', logIndex: 7 }),
      aPhase({ id: 'no market', marketId: null, logIndex: 8 }),
    ]);
    await insertMarkets(store, 'venue_b', [aMarket()]);
    await insertResolutions(store, [aResolution({ resolvedAt: NOON_MS + 1 })]);
    const page = await read();
    expect(page.pagination).toEqual({ nextCursor: null, hasMore: false });
    const event = { universalId: 'evt_1', canonicalName: 'The question' };
    expect(page.activity).toMatchObject([
      { kind: 'dispute', ...event, ts: iso(3), record: { phase: 'dispute', marketId: '0xmarket' } },
      { kind: 'anomaly', ...event, ts: iso(2), record: { universalId: 'evt_1', zScore: 11.00125 } },
      { kind: 'settlement', ...event, ts: iso(1), record: { used: true, resolvedAt: iso(1) } },
    ]);
    expect(kindsAndTimes(await read('?kinds=settlement,anomaly'))).toEqual([
      ['anomaly', iso(2)],
      ['settlement', iso(1)],
    ]);
  });

  it('names the event that a market belongs to now, and leaves out markets without an event', async () => {
    addEvent({ universalId: 'evt_1', mergedInto: 'evt_2', links: [] });
    addEvent({ universalId: 'evt_2', canonicalName: 'The survivor' });
    await insertAnomalies(store, [anAnomaly(), anAnomaly({ id: 'an_gone', marketId: 'gone' })]);
    expect((await read()).activity).toMatchObject([
      { universalId: 'evt_2', canonicalName: 'The survivor', record: { universalId: 'evt_2' } },
    ]);
  });

  it('pages through records of equal times, each once', async () => {
    const places = [0, 0, 0, 1, 1, 2, 5];
    await insertAnomalies(
      store,
      places.map((after, at) => anAnomaly({ id: `an_${at}`, ts: NOON_MS + after })),
    );
    await insertPhases(
      store,
      places.map((after, at) => aPhase({ id: `dp_${at}`, ts: NOON_MS + after, logIndex: at })),
    );
    const whole = await read('?limit=200');
    expect(whole.activity).toHaveLength(14);
    const paged: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { activity, pagination } = await read(`?limit=3${cursor}`);
      paged.push(...activity);
      if (!pagination.hasMore) break;
      cursor = `&cursor=${pagination.nextCursor}`;
    }
    expect(paged).toEqual(whole.activity);
  });

  it('finds what lies behind more rows without an event than are read at once', async () => {
    await insertAnomalies(
      store,
      Array.from({ length: 450 }, (_, at) => anAnomaly({ id: `an_${at}`, marketId: 'gone', ts: NOON_MS + 10 + at })),
    );
    await insertAnomalies(store, [anAnomaly({ id: 'an_found' })]);
    await insertPhases(store, [aPhase({ ts: NOON_MS + 1 }), aPhase({ id: 'late', logIndex: 9, ts: NOON_MS + 300 })]);
    expect(kindsAndTimes(await read())).toEqual([
      ['dispute', iso(300)],
      ['dispute', iso(1)],
      ['anomaly', iso(0)],
    ]);
  });

  it.each([
    ['kinds=', 'kinds'],
    ['kinds=anomaly,other', 'kinds'],
    ['limit=x', 'limit'],
    ['cursor=zz', 'cursor'],
    ['kind=anomaly', 'kind'],
  ])('refuses ?%s and names the field', async (query, field) => {
    const response = await test.get(`/v1/events/activity?${query}`);
    expect(response.status).toBe(400);
    expect(response.body).toContain(field);
  });

  it('states the outcome of an inverse market in terms of the event', async () => {
    addEvent({ links: [aLink({ polarity: 'inverse', used: false })] });
    await insertMarkets(store, 'venue_b', [aMarket()]);
    await insertResolutions(store, [aResolution({ payouts: ['1', '0'] })]);
    expect((await read()).activity).toMatchObject([{ record: { outcome: 'no', used: false } }]);
  });
});
