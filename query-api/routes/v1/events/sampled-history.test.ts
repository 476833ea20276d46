import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arbitrageTable } from '#schemas/tables/arbitrage';
import { spreadsTable } from '#schemas/tables/spreads';
import { eventTopic, type SpreadLeg } from '#schemas/topics/derived';
import { insertRows } from '../../../testing/insert-rows.fixture.ts';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { aLink, anArbitrage, anEvent, applyRecord, aSpread, NOON_MS } from '../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getBoard } from './get-board.ts';
import { getEventHistory } from './get-history.ts';

const { store, close } = await openTestStore();
afterAll(close);
let test: TestApp;
beforeEach(async () => {
  for (const table of ['spreads', 'arbitrage']) await store.command(`TRUNCATE TABLE ${table}`);
  test = await createTestApp({ app: { store } });
  const links = [aLink({ provider: 'venue_a_outcome', providerMarketId: '#10', yesInstrument: '#10' }), aLink()];
  for (const event of [anEvent({ links }), anEvent({ universalId: 'evt_old', mergedInto: 'evt_1' })])
    applyRecord(VIEWS.events, test.views.events, eventTopic, event.universalId, event);
});
afterEach(() => test.app.close());

async function read(query: string, status = 200) {
  const response = await test.get(`/v1/events/evt_1/history?${query}`);
  expect(response.status, response.body).toBe(status);
  return response;
}
const history = async (query: string) =>
  getEventHistory.response.parse((await read(query)).json()) as {
    universalId: string;
    legs: { provider: string; marketId: string; points: { ts: string; yesMid: number | null }[] }[];
    spreads: object[];
    edges: object[];
    states: { ts: string; marketId: string; state: string }[];
  };
const leg = (fields: Partial<SpreadLeg>): SpreadLeg => ({ ...aSpread().legs[0]!, ...fields });
const published = (after: number, fields: Partial<SpreadLeg>, universalId = 'evt_1') =>
  aSpread({ universalId, receivedAt: NOON_MS + after, legs: [leg(fields)] });
const iso = (after: number) => new Date(NOON_MS + after).toISOString();

describe('GET /v1/events/{universalId}/history', () => {
  it('returns first, last, lowest and highest of each bucket as they were published, and no point of an empty one', async () => {
    const mids = ['0.5', '0.4', '0.45', '0.9', '0.900000000000000001', '0.6', null, '0.7'];
    const rows = mids.map((yesMid, at) => published(at, { yesMid, yesBid: yesMid, yesAsk: null }));
    await insertRows(store, spreadsTable, [...rows, published(900, { yesMid: '0.1' })]);
    // The sink may write a row twice.
    await insertRows(store, spreadsTable, [rows[0]!]);
    const { legs } = await history(`from=${NOON_MS}&to=${NOON_MS + 999}&points=10`);
    expect(legs.map(({ marketId }) => marketId)).toEqual(['#10', '0xmarket']);
    expect(legs[0]!.points).toEqual([]);
    expect(legs[1]!.points).toEqual([
      { ts: iso(0), yesBid: 0.5, yesAsk: null, yesMid: 0.5 },
      { ts: iso(1), yesBid: 0.4, yesAsk: null, yesMid: 0.4 },
      { ts: iso(4), yesBid: 0.9, yesAsk: null, yesMid: 0.9 },
      { ts: iso(7), yesBid: 0.7, yesAsk: null, yesMid: 0.7 },
      { ts: iso(900), yesBid: 0.41, yesAsk: 0.43, yesMid: 0.1 },
    ]);
  });

  it('returns the largest distance of live prices of each record that has a point', async () => {
    const pair = (a: string | null, b: string, live = true) => [
      leg({ provider: 'venue_a_outcome', marketId: '#10', yesMid: a }),
      leg({ yesMid: b, live }),
    ];
    const records = [pair('0.4', '0.52'), pair('0.45', '0.5'), pair('0.4', '0.6', false), pair(null, '0.55')];
    await insertRows(
      store,
      spreadsTable,
      records.map((legs, at) => aSpread({ receivedAt: NOON_MS + at, legs })),
    );
    const { spreads } = await history(`from=${NOON_MS}&to=${NOON_MS + 999}&points=10`);
    expect(spreads).toEqual([
      { ts: iso(0), spread: 0.12 },
      { ts: iso(1), spread: 0.05 },
      { ts: iso(2), spread: null },
      { ts: iso(3), spread: null },
    ]);
  });

  it('returns the edges of each kind, reduced in the same way', async () => {
    const edges = ['0.1', '0.3', '0.05', '0.2', '0.15'].map((netEdge, at) =>
      anArbitrage({ netEdge, receivedAt: NOON_MS + at }),
    );
    const other = anArbitrage({ kind: 'negation_pair', netEdge: '0.01', size: '5', receivedAt: NOON_MS + 2 });
    await insertRows(store, arbitrageTable, [...edges, other]);
    const expected = (after: number, netEdge: number) => ({
      ts: iso(after),
      kind: 'cross_provider',
      netEdge,
      size: 100,
    });
    expect((await history(`from=${NOON_MS}&to=${NOON_MS + 999}&points=10`)).edges).toEqual([
      expected(0, 0.1),
      expected(1, 0.3),
      expected(2, 0.05),
      { ts: iso(2), kind: 'negation_pair', netEdge: 0.01, size: 5 },
      expected(4, 0.15),
    ]);
  });

  it('returns the changes of states, also those between the points', async () => {
    const states = ['live', 'live', 'stale', 'live', 'live'] as const;
    await insertRows(
      store,
      spreadsTable,
      states.map((state, at) => published(at, { state, yesMid: '0.5' })),
    );
    const { states: changes } = await history(`from=${NOON_MS}&to=${NOON_MS + 99_999}&points=10`);
    expect(changes.map(({ ts, state }) => [ts, state])).toEqual([
      [iso(0), 'live'],
      [iso(2), 'stale'],
      [iso(3), 'live'],
    ]);
  });

  it('includes both ends of the period and events that were merged into it, and is of 24 hours by default', async () => {
    const DAY_MS = 86_400_000;
    const rows = [-1, 0, DAY_MS, DAY_MS + 1].map((after) => published(after, {}, after === 0 ? 'evt_old' : 'evt_1'));
    await insertRows(store, spreadsTable, rows);
    const times = async (query: string) => (await history(query)).legs.at(-1)!.points.map(({ ts }) => ts);
    expect(await times(`from=${NOON_MS}&to=${NOON_MS + DAY_MS}`)).toEqual([iso(0), iso(DAY_MS)]);
    expect(await times(`to=${NOON_MS + DAY_MS}`)).toEqual([iso(0), iso(DAY_MS)]);
    expect(await times('from=0')).toEqual([iso(-1), iso(0)]);
  });

  it('names the field of a request that it refuses, and answers 404 for an unknown event', async () => {
    for (const [query, field] of [
      ['from=x', 'from'],
      ['to=x', 'to'],
      [`from=${NOON_MS}&to=${NOON_MS - 1}`, 'from'],
      ['points=many', 'points'],
      ['limit=5', 'limit'],
    ])
      expect((await read(query!, 400)).body, query).toContain(field);
    expect((await test.get('/v1/events/evt_none/history')).status).toBe(404);
  });
});

describe('GET /v1/events/board?include=sparkline', () => {
  it('adds the last price of each half hour of a day to each row, also of events that were merged into it', async () => {
    const STEP_MS = 1_800_000;
    const at = (steps: number, after: number, yesMid: string | null, id?: string) =>
      published(steps * STEP_MS + after, { yesMid }, id);
    await insertRows(store, spreadsTable, [
      at(-48, 0, '0.9'),
      at(-47, 0, '0.1'),
      at(-3, 1, '0.2', 'evt_old'),
      at(-2, 1, '0.3'),
      at(-2, 2, '0.35'),
      at(-1, 1, '0.4'),
      at(-1, 2, null),
      at(0, 0, '0.5'),
      at(0, 1, '0.6'),
    ]);
    test.views.events.now = NOON_MS;
    const rows = async (query: string) =>
      (getBoard.response.parse((await test.get(`/v1/events/board${query}`)).json()) as { rows: object[] }).rows;
    const mids = new Array<number | null>(48).fill(null);
    for (const [step, mid] of Object.entries({ 0: 0.1, 44: 0.2, 45: 0.35, 47: 0.5 })) mids[Number(step)] = mid;
    expect(await rows('?include=sparkline')).toMatchObject([
      {
        universalId: 'evt_1',
        sparkline: {
          from: iso(-47 * STEP_MS),
          stepMs: STEP_MS,
          legs: [{ provider: 'venue_b', marketId: '0xmarket', mids }],
        },
      },
    ]);
    expect((await rows(''))[0]).not.toHaveProperty('sparkline');
    await store.command('TRUNCATE TABLE spreads');
    await insertRows(store, spreadsTable, [published(-47 * 60_000, { yesMid: '0.1' })]);
    const minutes = { from: iso(-47 * 60_000), stepMs: 60_000 };
    expect(await rows('?include=sparkline')).toMatchObject([
      { sparkline: { ...minutes, legs: [{ provider: 'venue_b' }] } },
    ]);
    await store.command('TRUNCATE TABLE spreads');
    expect(await rows('?include=sparkline')).toMatchObject([{ sparkline: { ...minutes, legs: [] } }]);
    expect((await test.get('/v1/events/board?include=all')).body).toContain('include');
  });
});
