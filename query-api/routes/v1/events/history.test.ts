import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { arbitrageTable } from '#schemas/tables/arbitrage';
import { spreadsTable } from '#schemas/tables/spreads';
import { eventTopic } from '#schemas/topics/derived';
import { insertRows } from '../../../testing/insert-rows.fixture.ts';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { anArbitrage, anEvent, applyRecord, aSpread, NOON_MS } from '../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getArbitrageHistory } from './arbitrage/get-history.ts';
import { getSpreadHistory } from './spread/get-history.ts';

const { store, close } = await openTestStore();
afterAll(close);
let test: TestApp;
beforeAll(async () => {
  const spreads = [0, 1, 2].map((at) => aSpread({ receivedAt: NOON_MS + at }));
  await insertRows(store, spreadsTable, spreads);
  await insertRows(store, spreadsTable, [aSpread({ universalId: 'evt_old', receivedAt: NOON_MS - 1 })]);
  await insertRows(store, arbitrageTable, [anArbitrage({ netEdge: '0.003' })]);
});
beforeEach(async () => {
  test = await createTestApp({ app: { store } });
  for (const event of [anEvent(), anEvent({ universalId: 'evt_old', mergedInto: 'evt_1' })])
    applyRecord(VIEWS.events, test.views.events, eventTopic, event.universalId, event);
});
afterEach(() => test.app.close());

async function read<T>(path: string, status = 200): Promise<T> {
  const response = await test.get(`/v1/events/evt_1/${path}`);
  expect(response.status, response.body).toBe(status);
  return response.json();
}

interface Page {
  readonly records: readonly { readonly universalId: string; readonly fetchedAt: string }[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}
const timesOf = ({ records }: Page) => records.map(({ fetchedAt }) => fetchedAt.slice(-7));

describe('GET /v1/events/{universalId}/spread/history', () => {
  it('pages back through the spreads of the event and of events that were merged into it', async () => {
    const first = await read<Page>('spread/history?limit=3');
    getSpreadHistory.response.parse(first);
    expect(timesOf(first)).toEqual(['00.002Z', '00.001Z', '00.000Z']);
    expect(first.pagination.hasMore).toBe(true);
    const second = await read<Page>(`spread/history?limit=3&cursor=${first.pagination.nextCursor}`);
    expect(timesOf(second)).toEqual(['59.999Z']);
    expect(second.records[0]!.universalId).toBe('evt_1');
    expect(second.pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it('returns what was published in the range, both ends included', async () => {
    expect(timesOf(await read(`spread/history?from=${NOON_MS}&to=2026-03-01T12:00:00.001Z`))).toEqual([
      '00.001Z',
      '00.000Z',
    ]);
  });

  it.each([
    ['from=2026-03-02&to=2026-03-01', 'from: must not be after to'],
    ['cursor=abc', 'cursor: must be a cursor that this service returned'],
    ['from=1767225600', 'from: must be unix milliseconds'],
    ['until=1', 'until'],
  ])('answers 400 for %s', async (query, message) => {
    const { error } = await read<{ error: { code: string; message: string } }>(`spread/history?${query}`, 400);
    expect(error.code).toBe('validation_failed');
    expect(error.message).toContain(message);
  });
});

it('GET /v1/events/{universalId}/arbitrage/history returns records as they were published', async () => {
  const page = await read<{ records: object[] }>('arbitrage/history');
  getArbitrageHistory.response.parse(page);
  expect(page).toMatchObject({
    universalId: 'evt_1',
    records: [{ kind: 'cross_provider', netEdge: 0.003, quoteAgeMs: 1_200, at: '2026-03-01T12:00:00.000Z' }],
    pagination: { nextCursor: null, hasMore: false },
  });
});

it.each(['spread/history', 'arbitrage/history', 'trades', 'candles?interval=1m'])(
  'GET /v1/events/{universalId}/%s states the time up to which its stage and the tables have come',
  async (path) => {
    const freshness = {
      ...test.views.freshness,
      now: () => NOON_MS + 150_000,
      asOf: () => NOON_MS + 500,
      tablesAsOf: async (_: unknown, until: number) => until - 700,
    };
    Object.assign(test.views, { freshness });
    expect(await read(path)).toMatchObject({ fetchedAt: '2026-03-01T11:59:59.800Z' });
  },
);
