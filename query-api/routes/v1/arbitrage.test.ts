import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Arbitrage, arbitrageHeadTopic, eventTopic } from '#schemas/topics/derived';
import { anArbitrage, anEvent, applyRecord, NOON_MS } from '../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts';
import { VIEWS } from '../../views/views.ts';
import { getAllArbitrage } from './get-arbitrage.ts';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
afterEach(() => test.app.close());

function add(universalId: string, netEdge: string, fields: Partial<Arbitrage> = {}): void {
  const event = anEvent({ universalId, canonicalName: `Name of ${universalId}` });
  applyRecord(VIEWS.events, test.views.events, eventTopic, universalId, event);
  const record = anArbitrage({ universalId, netEdge, ...fields });
  applyRecord(VIEWS.events, test.views.events, arbitrageHeadTopic, `${universalId}:${record.kind}`, record);
}

interface Page {
  readonly records: { readonly universalId: string; readonly kind: string; readonly canonicalName: string }[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
  readonly fetchedAt: string;
}
async function read(query = ''): Promise<Page> {
  const response = await test.get(`/v1/arbitrage${query}`);
  expect(response.status, response.body).toBe(200);
  return getAllArbitrage.response.parse(response.json()) as Page;
}
const ids = ({ records }: Page) => records.map(({ universalId }) => universalId);

describe('GET /v1/arbitrage', () => {
  it('lists the records of all events, largest net edge first, with the names of their events', async () => {
    add('evt_a', '-0.02');
    add('evt_b', '0.1');
    add('evt_c', '0.09');
    add('evt_c', '0.2', { kind: 'negation_pair' });
    const page = await read();
    expect(page.records.map(({ universalId, kind }) => [universalId, kind])).toEqual([
      ['evt_c', 'negation_pair'],
      ['evt_b', 'cross_provider'],
      ['evt_c', 'cross_provider'],
      ['evt_a', 'cross_provider'],
    ]);
    expect(page.records[0]).toMatchObject({ canonicalName: 'Name of evt_c', netEdge: 0.2 });
    expect(page.pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it('compares net edges exactly', async () => {
    add('evt_a', '0.100000000000000001');
    add('evt_b', '0.100000000000000002');
    expect(ids(await read())).toEqual(['evt_b', 'evt_a']);
    expect(ids(await read('?min_net_edge=0.100000000000000002'))).toEqual(['evt_b']);
  });

  it('filters by net edge, kind and the provider of either leg', async () => {
    add('evt_a', '-0.02');
    add('evt_b', '0.1', { kind: 'negation_pair' });
    add('evt_c', '0', { firstProvider: 'venue_b', secondProvider: 'venue_b' });
    expect(ids(await read('?min_net_edge=0'))).toEqual(['evt_b', 'evt_c']);
    expect(ids(await read('?min_net_edge=-0.02&kind=cross_provider'))).toEqual(['evt_c', 'evt_a']);
    expect(ids(await read('?provider=venue_b'))).toEqual(['evt_b', 'evt_c', 'evt_a']);
    for (const ofVenueA of ['venue_a_outcome', 'venue_a'])
      expect(ids(await read(`?provider=${ofVenueA}`)), ofVenueA).toEqual(['evt_b', 'evt_a']);
  });

  it('refuses a provider that has no questions', async () => {
    const errorOf = async (query: string) => {
      const body: { error: object } = (await test.get(`/v1/arbitrage${query}`)).json();
      return body.error;
    };
    for (const provider of ['unknown', 'venue_a_perp', ''])
      expect(await errorOf(`?provider=${provider}`), provider).toMatchObject({
        code: 'validation_failed',
        message: expect.stringContaining('provider'),
      });
  });

  it('pages through all records, each once, while others change', async () => {
    for (let at = 0; at < 7; at += 1) add(`evt_${at}`, at < 4 ? '0.5' : `0.${at}`);
    const first = await read('?limit=3&sort=-netEdge');
    expect(first.pagination.hasMore).toBe(true);
    add('evt_6', '0.61');
    const second = await read(`?limit=3&cursor=${first.pagination.nextCursor}`);
    const third = await read(`?limit=3&cursor=${second.pagination.nextCursor}`);
    expect([first, second, third].map(ids)).toEqual([
      ['evt_6', 'evt_0', 'evt_1'],
      ['evt_2', 'evt_3', 'evt_5'],
      ['evt_4'],
    ]);
    expect(third.pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it('leaves out records whose event is not known', async () => {
    add('evt_a', '0.1');
    applyRecord(VIEWS.events, test.views.events, eventTopic, 'evt_a', null);
    expect(ids(await read())).toEqual([]);
  });

  it('has no records while the data lags, and states its time', async () => {
    for (const id of ['evt_a', 'evt_b']) add(id, '0.1');
    const [now, asOf] = [NOON_MS + 60_000, NOON_MS + 2_000];
    Object.assign(test.views, {
      freshness: {
        now: () => now,
        isLive: () => true,
        asOf: () => asOf,
        bookAt: () => null,
        knowsBooksUntil: () => true,
        tablesAsOf: async (_: unknown, until: number) => until,
      },
    });
    expect(await read('?limit=1')).toEqual({
      records: [],
      pagination: { nextCursor: null, hasMore: false },
      fetchedAt: '2026-03-01T12:00:02.000Z',
    });
  });

  it.each([
    ['min_net_edge=abc', 'min_net_edge'],
    ['kind=other', 'kind'],
    ['sort=netEdge', 'sort'],
    ['limit=x', 'limit'],
    ['cursor=!', 'cursor'],
    ['cursor=abc', 'cursor'],
    ['edge=1', 'edge'],
  ])('refuses ?%s and names the field', async (query, field) => {
    const response = await test.get(`/v1/arbitrage?${query}`);
    expect(response.status).toBe(400);
    expect(response.body).toContain(field);
  });
});
