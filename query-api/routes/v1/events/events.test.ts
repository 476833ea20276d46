import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clockTopic } from '#schemas/topics/control';
import {
  type Arbitrage,
  arbitrageHeadTopic,
  eventTopic,
  reconcileTopic,
  type Spread,
  spreadHeadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import { aLink, anArbitrage, anEvent, applyRecord, aSpread, NOON_MS } from '../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../testing/test-app.fixture.ts';
import type { Freshness } from '../../../views/freshness.ts';
import { VIEWS } from '../../../views/views.ts';
import { getArbitrage } from './get-arbitrage.ts';
import { getEvents } from './get-events.ts';
import { getSpread } from './get-spread.ts';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
afterEach(() => test.app.close());

const add = {
  event: (fields: Partial<UniversalEvent>) => {
    const event = anEvent(fields);
    applyRecord(VIEWS.events, test.views.events, eventTopic, event.universalId, event);
  },
  spread: (fields: Partial<Spread>) => {
    const spread = aSpread(fields);
    applyRecord(VIEWS.events, test.views.events, spreadHeadTopic, spread.universalId, spread);
  },
  arbitrage: (fields: Partial<Arbitrage>) => {
    const record = anArbitrage(fields);
    applyRecord(VIEWS.events, test.views.events, arbitrageHeadTopic, `${record.universalId}:${record.kind}`, record);
  },
  clock: (receivedAt: number) =>
    applyRecord(
      VIEWS.events,
      test.views.events,
      clockTopic,
      'clock',
      { receivedAt, tick: true, hour: false, day: false },
      receivedAt,
    ),
};

/** Makes the views report live data that is derived up to `asOf` while the pipeline is at `now`. */
function lagBehind(now: number, asOf: number): void {
  const freshness: Freshness = {
    now: () => now,
    isLive: () => true,
    asOf: () => asOf,
    bookAt: () => null,
    knowsBooksUntil: () => true,
    tablesAsOf: async (_: unknown, until: number) => until,
    followedThrough: async () => null,
  };
  Object.assign(test.views, { freshness });
}

async function body<T>(url: string, status = 200): Promise<T> {
  const response = await test.get(url);
  expect(response.status, response.body).toBe(status);
  return response.json();
}
const codeOf = async (url: string, status: number) =>
  (await body<{ error: { code: string; message: string } }>(url, status)).error;

interface Listed {
  readonly events: { readonly universalId: string }[];
  readonly meta: { readonly total: number; readonly lastReconcile: { at: string; ingested: number } | null };
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}
const list = (query = '') => body<Listed>(`/v1/events${query}`);
const ids = async (query = '') => (await list(query)).events.map((event) => event.universalId);

describe('GET /v1/events', () => {
  it('finds the words of q in names, in any order and case', async () => {
    add.event({ universalId: 'evt_1', canonicalName: 'BTC at or above 100000', links: [] });
    add.event({ universalId: 'evt_2', canonicalName: 'ETH at or above 5000', links: [] });
    expect(await ids('?q=ABOVE+btc')).toEqual(['evt_1']);
    expect(await ids('?q=or%20at')).toEqual(['evt_1', 'evt_2']);
    expect(await ids('?q=btc+eth')).toEqual([]);
    for (const q of ['', '%20', 'x'.repeat(101)])
      expect((await codeOf(`/v1/events?q=${q}`, 400)).message, q).toMatch(/^q: /);
  });

  it('returns complete events by firstSeenAt, then id', async () => {
    add.event({ universalId: 'evt_c', firstSeenAt: 1 });
    add.event({ universalId: 'evt_b', firstSeenAt: 2 });
    add.event({ universalId: 'evt_a', firstSeenAt: 2 });
    const response = await list();
    getEvents.response.parse(response);
    expect(response.events.map((event) => event.universalId)).toEqual(['evt_c', 'evt_a', 'evt_b']);
    expect(response.events[0]).toEqual({
      universalId: 'evt_c',
      canonicalName: 'BTC at or above 100000 on 2026-03-31',
      kind: 'price_binary',
      underlying: 'BTC',
      threshold: 100000,
      op: 'gte',
      details: {},
      resolutionDate: '2026-03-31T00:00:00.000Z',
      status: 'open',
      firstSeenAt: '1970-01-01T00:00:00.001Z',
      lastSeenAt: '2026-03-01T12:00:00.000Z',
      links: [
        {
          provider: 'venue_b',
          providerMarketId: '0xmarket',
          confidence: 1,
          source: 'catalog',
          evidence: { title: 'example' },
          polarity: 'same',
          used: true,
          title: 'A market',
          closesAt: null,
          tokens: { yes: '111', no: '222' },
        },
      ],
    });
    expect(response.meta).toEqual({ total: 3, lastReconcile: null });
    expect(response.pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it('returns the last catalog pass', async () => {
    const pass = { receivedAt: NOON_MS, ingested: 17 };
    applyRecord(VIEWS.events, test.views.events, reconcileTopic, 'latest', pass);
    expect((await list()).meta.lastReconcile).toEqual({ at: '2026-03-01T12:00:00.000Z', ingested: 17 });
  });

  it('filters by underlying, resolution, providers and status', async () => {
    const outcome = aLink({ provider: 'venue_a_outcome', providerMarketId: '#10' });
    add.event({ universalId: 'evt_1', underlying: 'BTC', resolutionTime: 1_000, links: [outcome, aLink()] });
    add.event({ universalId: 'evt_2', underlying: 'ETH', resolutionTime: 2_000, status: 'closed' });
    add.event({ universalId: 'evt_3', underlying: null, resolutionTime: null, status: 'resolved' });
    expect(await ids('?underlying=btc')).toEqual(['evt_1']);
    expect(await ids('?underlying=DOGE')).toEqual([]);
    expect(await ids('?resolution_after=1970-01-01T00:00:00.999Z')).toEqual(['evt_1', 'evt_2']);
    expect(await ids('?resolution_after=1970-01-01T00:00:01Z')).toEqual(['evt_2']);
    expect(await ids('?resolution_after=1970-01-01T00:00:01.999Z')).toEqual(['evt_2']);
    expect(await ids('?resolution_after=1970-01-01T00:00:02Z')).toEqual([]);
    expect(await ids('?min_providers=1')).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(await ids('?min_providers=2')).toEqual(['evt_1']);
    expect(await ids('?min_providers=3')).toEqual([]);
    expect(await ids('?status=closed')).toEqual(['evt_2']);
    expect((await list('?status=open')).meta.total).toBe(1);
  });

  it('pages through 1 to 1000 events at a time, without gaps or repetitions while events are added', async () => {
    for (let at = 0; at < 1_005; at += 1) add.event({ universalId: `evt_${at}`, firstSeenAt: at });
    const sizes: Record<string, number> = {
      '': 100,
      '?limit=1': 1,
      '?limit=0': 1,
      '?limit=-5': 1,
      '?limit=1000': 1_000,
    };
    for (const [query, size] of Object.entries(sizes)) expect(await ids(query), query).toHaveLength(size);
    expect(await ids('?limit=1001')).toHaveLength(1_000);
    expect(await ids(`?limit=${'9'.repeat(30)}`)).toHaveLength(1_000);
    const first = await list('?limit=600');
    expect(first.meta.total).toBe(1_005);
    expect(first.pagination.hasMore).toBe(true);
    add.event({ universalId: 'evt_late', firstSeenAt: 3 });
    const second = await list(`?limit=600&cursor=${first.pagination.nextCursor}`);
    expect(second.pagination).toEqual({ nextCursor: null, hasMore: false });
    const both = [...first.events, ...second.events].map((event) => event.universalId);
    expect(both).toEqual(Array.from({ length: 1_005 }, (_, at) => `evt_${at}`));
  });

  it('refuses an invalid number, time, status or cursor, and names the parameter', async () => {
    const bad = [
      'limit=x',
      'limit=1.5',
      'limit=',
      'min_providers=two',
      'resolution_after=soon',
      'status=shut',
      'cursor=AAAA',
      'cursor=%20',
    ];
    for (const query of bad) {
      const { code, message } = await codeOf(`/v1/events?${query}`, 400);
      expect(code, query).toBe('validation_failed');
      expect(message).toContain(query.split('=')[0]);
    }
  });
});

describe('GET /v1/events/{universalId}/spread', () => {
  it('returns the newest legs, with unknown sides as null', async () => {
    add.event({});
    add.spread({});
    const leg = {
      provider: 'venue_a_outcome',
      marketId: '#10',
      yesBid: null,
      yesAsk: '0.5',
      yesMid: null,
      live: true,
      bookAt: NOON_MS - 250,
      state: 'recovering' as const,
    };
    add.spread({ receivedAt: NOON_MS + 1, legs: [leg] });
    const response = await body<object>('/v1/events/evt_1/spread');
    getSpread.response.parse(response);
    expect(response).toEqual({
      universalId: 'evt_1',
      legs: [
        {
          provider: 'venue_a_outcome',
          marketId: '#10',
          yesBid: null,
          yesAsk: 0.5,
          yesMid: null,
          state: 'recovering',
          asOf: '2026-03-01T11:59:59.750Z',
        },
      ],
      spread: null,
      fetchedAt: '2026-03-01T12:00:00.001Z',
    });
  });

  it('is as of now for an unchanged book, and never older than its data', async () => {
    add.event({});
    add.spread({ receivedAt: NOON_MS });
    add.clock(NOON_MS + 3_600_000);
    expect(await body('/v1/events/evt_1/spread')).toMatchObject({ fetchedAt: '2026-03-01T13:00:00.000Z' });
    add.spread({ receivedAt: NOON_MS + 3_601_234 });
    expect(await body('/v1/events/evt_1/spread')).toMatchObject({ fetchedAt: '2026-03-01T13:00:01.234Z' });
  });

  it('is as of the position of the spreads stage, however far that lags', async () => {
    add.event({});
    add.spread({ receivedAt: NOON_MS });
    add.clock(NOON_MS + 60_000);
    lagBehind(NOON_MS + 60_000, NOON_MS + 2_000);
    expect(await body('/v1/events/evt_1/spread')).toMatchObject({ fetchedAt: '2026-03-01T12:00:02.000Z' });
    expect(await body('/v1/events/evt_1/arb-decay')).toMatchObject({ computedAt: '2026-03-01T12:00:02.000Z' });
  });

  it('has no legs if no linked market is used', async () => {
    add.event({ receivedAt: NOON_MS });
    expect(await body('/v1/events/evt_1/spread')).toEqual({
      universalId: 'evt_1',
      legs: [],
      spread: null,
      fetchedAt: '2026-03-01T12:00:00.000Z',
    });
  });
});

describe('GET /v1/events/{universalId}/arbitrage', () => {
  it('returns one record of each kind, and none that was withdrawn', async () => {
    add.event({});
    add.clock(NOON_MS + 5_000);
    add.arbitrage({ kind: 'negation_pair', netEdge: '0.01' });
    add.arbitrage({});
    const response = await body<{ records: { kind: string }[]; fetchedAt: string }>('/v1/events/evt_1/arbitrage');
    getArbitrage.response.parse(response);
    expect(response.records.map((record) => record.kind)).toEqual(['cross_provider', 'negation_pair']);
    expect(response.records[0]).toMatchObject({ netEdge: -0.001, buyProvider: 'venue_a_outcome', sellFee: 0.02 });
    expect(response.fetchedAt).toBe('2026-03-01T12:00:05.000Z');
    applyRecord(VIEWS.events, test.views.events, arbitrageHeadTopic, 'evt_1:cross_provider', null);
    applyRecord(VIEWS.events, test.views.events, arbitrageHeadTopic, 'evt_1:negation_pair', null);
    expect((await body<{ records: unknown[] }>('/v1/events/evt_1/arbitrage')).records).toEqual([]);
  });

  it('is never older than its data', async () => {
    add.event({});
    add.clock(NOON_MS);
    add.arbitrage({ receivedAt: NOON_MS + 1_234 });
    expect(await body('/v1/events/evt_1/arbitrage')).toMatchObject({ fetchedAt: '2026-03-01T12:00:01.234Z' });
  });
});

describe('GET /v1/events/{universalId}/arbitrage while data lags', () => {
  it('returns no records, and the time of the data', async () => {
    add.event({});
    add.arbitrage({});
    lagBehind(NOON_MS + 60_000, NOON_MS + 2_000);
    expect(await body('/v1/events/evt_1/arbitrage')).toMatchObject({
      records: [],
      fetchedAt: '2026-03-01T12:00:02.000Z',
    });
  });
});

describe.each(['spread', 'spread/history', 'arbitrage', 'arbitrage/history', 'trades'])(
  'GET /v1/events/{universalId}/%s',
  (thing) => {
    it('answers 404 for an unknown event', async () => {
      expect(await codeOf(`/v1/events/evt_unknown/${thing}`, 404)).toMatchObject({ code: 'not_found' });
    });

    it('answers the id of a merged event with the event that it was finally merged into', async () => {
      add.event({ universalId: 'evt_old', mergedInto: 'evt_mid' });
      add.event({ universalId: 'evt_mid', mergedInto: 'evt_1' });
      add.event({});
      expect(await body(`/v1/events/evt_old/${thing}`)).toMatchObject({ universalId: 'evt_1' });
      expect(await ids()).toEqual(['evt_1']);
    });

    it('answers 404 for a cycle of merged events, and for a merge into an unknown event', async () => {
      add.event({ universalId: 'evt_a', mergedInto: 'evt_b' });
      add.event({ universalId: 'evt_b', mergedInto: 'evt_a' });
      add.event({ universalId: 'evt_c', mergedInto: 'evt_gone' });
      for (const id of ['evt_a', 'evt_c'])
        expect(await codeOf(`/v1/events/${id}/${thing}`, 404)).toMatchObject({ code: 'not_found' });
    });
  },
);
