import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clockTopic } from '#schemas/topics/control';
import {
  type Arbitrage,
  arbitrageHeadTopic,
  eventTopic,
  type Spread,
  type SpreadLeg,
  spreadHeadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import {
  aLink,
  anArbitrage,
  anEvent,
  applyRecord,
  aSpread,
  aTrade,
  NOON_MS,
} from '../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getArbDecay } from './get-arb-decay.ts';
import { getEventHealth } from './get-health.ts';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
afterEach(() => test.app.close());

const NOON = '2026-03-01T12:00:00.000Z';
const outcome = aLink({
  provider: 'venue_a_outcome',
  providerMarketId: '#10',
  yesInstrument: '#10',
  noInstrument: null,
});
const WEEK_MS = 7 * 86_400_000;
/** Rows for a batch of queries: one for each query that contains one of the names. */
const batchRows = (sql: string, rows: Readonly<Record<string, object>>) =>
  sql
    .split(' UNION ALL ')
    .flatMap((part, query) =>
      Object.entries(rows).flatMap(([table, row]) =>
        part.includes(table) ? [{ query, nth: 0, row: JSON.stringify(row) }] : [],
      ),
    );
const leg = (fields: Partial<SpreadLeg>): SpreadLeg => ({ ...aSpread().legs[0]!, ...fields });
/** Legs with the ask of venue_a and the bid of venue_b. */
const legsOf = (ask: string, bid: string) => [
  leg({ provider: 'venue_a_outcome', marketId: '#10', yesBid: '0.39', yesAsk: ask, yesMid: '0.395' }),
  leg({ yesBid: bid, yesAsk: '0.43', yesMid: '0.42' }),
];

const add = {
  event: (fields: Partial<UniversalEvent> = {}) => {
    const event = anEvent({ links: [outcome, aLink()], ...fields });
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
  clock: (at: number) => {
    const mark = { receivedAt: at, tick: true, hour: false, day: false };
    applyRecord(VIEWS.events, test.views.events, clockTopic, 'clock', mark, at);
  },
};

interface Health {
  readonly spread: { readonly legs: { readonly yesAsk: number }[]; readonly fetchedAt: string };
  readonly arbitrage: {
    readonly crossProvider: { readonly grossEdge: number } | null;
    readonly negationPair: object | null;
  };
  readonly consensusScore: number | null;
  readonly recentTrades: { readonly id: string }[];
  readonly fetchedAt: string;
}
async function health(id = 'evt_1'): Promise<Health> {
  const response = await test.get(`/v1/events/${id}/health`);
  expect(response.status, response.body).toBe(200);
  const body = response.json() as Health;
  getEventHealth.response.parse(body);
  return body;
}

describe('GET /v1/events/{universalId}/health', () => {
  it('returns all parts as of one moment, without further fields', async () => {
    add.event();
    add.spread({ legs: legsOf('0.4', '0.42') });
    add.arbitrage({});
    add.arbitrage({ kind: 'negation_pair', grossEdge: '0.1' });
    add.clock(NOON_MS + 5_000);
    const queries: object[] = [];
    const { arrival, logIndex, blockNumber, ...trade } = aTrade();
    test.setQuery((sql, parameters) => {
      queries.push(parameters);
      return batchRows(sql, {
        arbitrage_signals: { considered: 5, decayed: 4, median: 2_500 },
        'trades AS t': { ...trade, arrival: 1, logIndex: 1, blockNumber: 7, reached: 1 },
      });
    });
    const body = await health();
    const at = '2026-03-01T12:00:05.000Z';
    expect(Object.keys(body)).toEqual([
      'universalId',
      'event',
      'spread',
      'arbitrage',
      'consensusScore',
      'settlement',
      'disputeHistory',
      'edgeHalfLife',
      'recentAnomalies',
      'recentTrades',
      'fetchedAt',
    ]);
    expect(body).toMatchObject({
      universalId: 'evt_1',
      event: { universalId: 'evt_1', status: 'open', links: [{ providerMarketId: '#10' }, {}] },
      spread: { universalId: 'evt_1', fetchedAt: at },
      arbitrage: { crossProvider: { buyProvider: 'venue_a_outcome', sellProvider: 'venue_b' }, negationPair: {} },
      consensusScore: 0.975,
      settlement: [],
      disputeHistory: [],
      edgeHalfLife: { medianHalfLifeSec: 3, decayedSignals: 4, computedAt: at },
      recentAnomalies: [],
      recentTrades: [{ id: 'venue_b:0xhash:1' }],
      fetchedAt: at,
    });
    // One statement, for nothing newer than that.
    expect(queries).toEqual([
      expect.objectContaining({ now_2: NOON_MS + 5_000, since_3: NOON_MS + 5_000 - WEEK_MS, bound_4: NOON_MS + 5_000 }),
    ]);
  });

  it('reads further back if the first trades are not enough', async () => {
    add.event();
    const { arrival, logIndex, blockNumber, ...trade } = aTrade();
    const row = { ...trade, arrival: 1, logIndex: 1, blockNumber: 7 };
    test.setQuery((sql, { rows }) =>
      sql.includes('UNION ALL')
        ? batchRows(sql, { 'trades AS t': { ...row, status: 'reverted', reached: 80 } })
        : [{ ...row, reached: Number(rows) - 1 }],
    );
    expect((await health()).recentTrades).toMatchObject([{ id: 'venue_b:0xhash:1' }]);
  });

  it('is never older than its data', async () => {
    add.event();
    add.clock(NOON_MS);
    add.spread({ receivedAt: NOON_MS + 1_234, legs: legsOf('0.4', '0.42') });
    expect(await health()).toMatchObject({ fetchedAt: '2026-03-01T12:00:01.234Z', consensusScore: 0.975 });
  });

  it('waits for the remaining records of a change', async () => {
    add.event();
    add.spread({ legs: legsOf('0.4', '0.42') });
    add.arbitrage({});
    // The book changed: the view has the new spread, but not yet the new arbitrage.
    add.spread({ receivedAt: NOON_MS + 10, legs: legsOf('0.41', '0.42') });
    const rest = setTimeout(() => add.arbitrage({ receivedAt: NOON_MS + 10, grossEdge: '0.01' }), 15);
    const { spread, arbitrage } = await health();
    clearTimeout(rest);
    expect(spread.legs[0]!.yesAsk).toBe(0.41);
    expect(arbitrage.crossProvider!.grossEdge).toBe(0.01);
  });

  it('leaves out arbitrage that contradicts the spread if the missing record does not arrive', async () => {
    add.event({ links: [outcome, aLink({ polarity: 'inverse' })] });
    add.arbitrage({});
    add.arbitrage({ kind: 'negation_pair', grossEdge: '0.03' });
    add.spread({ legs: legsOf('0.41', '0.42') });
    expect((await health()).arbitrage).toEqual({ crossProvider: null, negationPair: null });
    add.spread({ receivedAt: NOON_MS + 1, legs: legsOf('0.41', '0.44') });
    test.advance(2_000);
    // The NO ask of an inverse market is 1 - its YES bid.
    expect((await health()).arbitrage).toMatchObject({ crossProvider: null, negationPair: { grossEdge: 0.03 } });
  });

  it('waits for the spread and arbitrage that follow from the resolution of a market', async () => {
    const resolved = aLink({ marketState: 'resolved' });
    add.event({ links: [outcome, resolved] });
    add.spread({ legs: legsOf('0.4', '0.42') });
    add.arbitrage({});
    // The view has the new event already, but still the old spread and arbitrage.
    const [legA, legB] = legsOf('0.4', '0.42');
    const ended = { ...legB!, yesBid: null, yesAsk: null, yesMid: null, live: false, state: 'resolved' as const };
    const rest = setTimeout(() => add.spread({ receivedAt: NOON_MS + 10, legs: [legA!, ended] }), 15);
    const { spread, arbitrage, consensusScore } = await health();
    clearTimeout(rest);
    expect(spread.legs).toMatchObject([{ state: 'live' }, { state: 'resolved', yesMid: null }]);
    expect(arbitrage).toEqual({ crossProvider: null, negationPair: null });
    expect(consensusScore).toBeNull();
  });

  it('leaves out arbitrage with a closed market if the missing record does not arrive', async () => {
    add.event({ links: [outcome, aLink({ marketState: 'closed' })] });
    add.spread({ legs: legsOf('0.4', '0.42') });
    add.arbitrage({});
    add.arbitrage({ kind: 'negation_pair', grossEdge: '0.1' });
    expect((await health()).arbitrage).toEqual({ crossProvider: null, negationPair: null });
  });

  it('is as of the tables if rows are missing there', async () => {
    add.event();
    add.spread({ legs: legsOf('0.4', '0.42') });
    add.clock(NOON_MS + 5_000);
    Object.assign(test.views, {
      freshness: { ...test.views.freshness, tablesAsOf: async (_: unknown, until: number) => until - 700 },
    });
    const queries: object[] = [];
    test.setQuery((sql, parameters) => {
      queries.push(parameters);
      return batchRows(sql, {});
    });
    const at = '2026-03-01T12:00:04.300Z';
    expect(await health()).toMatchObject({
      spread: { fetchedAt: '2026-03-01T12:00:05.000Z' },
      edgeHalfLife: { computedAt: at },
      fetchedAt: at,
    });
    expect(queries.map((one) => JSON.stringify(one)).join()).toContain(`${NOON_MS + 4_300}`);
    expect(queries.map((one) => JSON.stringify(one)).join()).not.toContain(`${NOON_MS + 5_000}`);
  });

  it('has no legs, arbitrage or consensus for an event without books', async () => {
    add.event({ links: [aLink({ used: false })] });
    expect(await health()).toMatchObject({
      spread: { legs: [], fetchedAt: NOON },
      arbitrage: { crossProvider: null, negationPair: null },
      consensusScore: null,
      edgeHalfLife: { medianHalfLifeSec: null, decayedSignals: 0, computedAt: NOON },
      fetchedAt: NOON,
    });
  });
});

describe('GET /v1/events/{universalId}/arb-decay', () => {
  it('is as of the table if rows are missing there', async () => {
    add.event();
    add.clock(NOON_MS);
    Object.assign(test.views, {
      freshness: { ...test.views.freshness, tablesAsOf: async (_: unknown, until: number) => until - 700 },
    });
    test.setQuery(() => [{ considered: 0, decayed: 0, median: null }]);
    const { computedAt } = (await test.get('/v1/events/evt_1/arb-decay')).json() as { computedAt: string };
    expect(computedAt).toBe('2026-03-01T11:59:59.300Z');
  });

  it('returns the figures of the event and of the events merged into it', async () => {
    add.event();
    add.event({ universalId: 'evt_old', mergedInto: 'evt_1' });
    add.clock(NOON_MS);
    let queries: unknown;
    test.setQuery((_, parameters) => {
      queries = parameters;
      return [{ considered: 7, decayed: 2, median: 1_499.5 }];
    });
    const response = await test.get('/v1/events/evt_old/arb-decay');
    getArbDecay.response.parse(response.json());
    expect(response.json()).toEqual({
      universalId: 'evt_1',
      signalsConsidered: 7,
      decayedSignals: 2,
      medianHalfLifeMs: 1_500,
      medianHalfLifeSec: 2,
      computedAt: NOON,
    });
    expect(queries).toEqual({ universalIds: ['evt_1', 'evt_old'], since: NOON_MS - 7 * 86_400_000, now: NOON_MS });
  });

  it('has no median if no signal has decayed', async () => {
    add.event();
    test.setQuery(() => [{ considered: 1, decayed: 0, median: null }]);
    const { status, json } = await test.get('/v1/events/evt_1/arb-decay');
    expect(status).toBe(200);
    expect(json()).toMatchObject({ signalsConsidered: 1, medianHalfLifeMs: null, medianHalfLifeSec: null });
  });
});

it.each(['health', 'arb-decay'])('GET …/%s answers 404 for an unknown event', async (thing) => {
  expect((await test.get(`/v1/events/evt_unknown/${thing}`)).status).toBe(404);
});
