/** Tests the event routes for disputes, settlements and anomalies with real tables. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { tradesTable } from '#schemas/tables/trades';
import { clockTopic } from '#schemas/topics/control';
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
import { aLink, anEvent, applyRecord, aTrade, NOON_MS } from '../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getAnomalyHistory } from './get-anomaly-history.ts';
import { getDisputeHistory } from './get-dispute-history.ts';
import { getEventHealth } from './get-health.ts';
import { getSettlement } from './get-settlement.ts';

const DAY_MS = 86_400_000;

let opened: Awaited<ReturnType<typeof openTestStore>>;
let store: Store;
let test: TestApp;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());
beforeEach(async () => {
  for (const table of ['dispute_phases', 'resolutions', 'anomalies', 'markets', 'trades'])
    await store.command(`TRUNCATE TABLE ${table}`);
  test = await createTestApp({ app: { store } });
});
afterEach(() => test.app.close());

const addEvent = (fields: Partial<UniversalEvent> = {}) => {
  const event = anEvent(fields);
  applyRecord(VIEWS.events, test.views.events, eventTopic, event.universalId, event);
};
const tick = (receivedAt: number) =>
  applyRecord(
    VIEWS.events,
    test.views.events,
    clockTopic,
    'clock',
    { receivedAt, tick: true, hour: false, day: false },
    receivedAt,
  );
const get = async <T>(path: string, status = 200): Promise<T> => {
  const response = await test.get(`/v1/events/${path}`);
  expect(response.status, response.body).toBe(status);
  return response.json();
};

describe('GET /v1/events/{universalId}/dispute-history', () => {
  it('returns the phases of every linked market that are not reverted, oldest first', async () => {
    addEvent({ links: [aLink(), aLink({ providerMarketId: '0xother' })] });
    await insertPhases(store, [
      aPhase({ id: 'c', blockNumber: 90, phase: 'settle', status: 'pending' }),
      aPhase({ id: 'b', blockNumber: 80, marketId: '0xother', questionId: '0xq2' }),
      aPhase({ id: 'gone', blockNumber: 75, status: 'reverted' }),
      aPhase({ id: 'a' }),
      aPhase({ id: 'foreign', marketId: '0xforeign', questionId: '0xq3' }),
    ]);
    const response = await get<{ disputes: { id: string }[] }>('evt_1/dispute-history');
    getDisputeHistory.response.parse(response);
    expect(response).toMatchObject({ universalId: 'evt_1' });
    expect(response.disputes.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(response.disputes[0]).toEqual({
      id: 'a',
      phase: 'propose',
      provider: 'venue_b',
      marketId: '0xmarket',
      questionId: '0xquestion',
      requestTimestamp: 1_700_000_000,
      proposer: `0x${'aa'.repeat(20)}`,
      disputer: null,
      price: '1',
      ts: '2026-03-01T12:00:00.000Z',
      blockNumber: 70,
      txHash: '0xt',
      logIndex: 1,
      status: 'confirmed',
    });
  });
});

describe('GET /v1/events/{universalId}/settlement', () => {
  it('returns one record of each market that was resolved by then, as of the tables', async () => {
    addEvent({ links: [aLink({ polarity: 'inverse' }), aLink({ providerMarketId: '0xother' })] });
    await insertMarkets(store, 'venue_b', [aMarket(), aMarket({ marketId: '0xother' })]);
    tick(NOON_MS - 5_000);
    await insertResolutions(store, [aResolution()]);
    expect(await get('evt_1/settlement')).toMatchObject({ records: [], fetchedAt: '2026-03-01T11:59:55.000Z' });
    tick(NOON_MS + 5_000);
    test.advance(2_000);
    const response = await get<{ records: object[] }>('evt_1/settlement');
    getSettlement.response.parse(response);
    expect(response).toMatchObject({ universalId: 'evt_1', fetchedAt: '2026-03-01T12:00:05.000Z' });
    expect(response.records).toMatchObject([{ marketId: '0xmarket', outcome: 'no', payouts: ['1', '0'] }]);
    Object.assign(test.views, {
      freshness: { ...test.views.freshness, tablesAsOf: async (_: unknown, until: number) => until - 1_000 },
    });
    tick(NOON_MS + 9_000);
    test.advance(2_000);
    expect(await get('evt_1/settlement')).toMatchObject({ fetchedAt: '2026-03-01T12:00:08.000Z' });
  });

  describe('with an unused link', () => {
    beforeEach(async () => {
      addEvent({ links: [aLink(), aLink({ providerMarketId: '0xother', used: false })] });
      await insertMarkets(store, 'venue_b', [aMarket(), aMarket({ marketId: '0xother' })]);
      await insertResolutions(store, [
        aResolution(),
        aResolution({ id: 'o', marketId: '0xother', resolvedAt: NOON_MS + 1, endTime: null, payouts: ['0', '1'] }),
      ]);
      tick(NOON_MS + 5_000);
    });
    const used = { marketId: '0xmarket', used: true, outcome: 'yes', endTime: '2026-03-01T10:59:59.600Z' };
    const unused = { marketId: '0xother', used: false, outcome: 'no', endTime: null };

    it.each([
      ['', [used]],
      ['?all=false', [used]],
      ['?all=true', [used, unused]],
    ])('returns the requested records for settlement%s', async (query, expected) => {
      const response = await get<{ records: object[] }>(`evt_1/settlement${query}`);
      getSettlement.response.parse(response);
      expect(response.records).toMatchObject(expected);
      expect(response.records).toHaveLength(expected.length);
    });

    it('caches the responses with and without unused links separately', async () => {
      const counts = [];
      for (const query of ['', '?all=true', '?all=false']) {
        counts.push((await get<{ records: object[] }>(`evt_1/settlement${query}`)).records.length);
      }
      expect(counts).toEqual([1, 2, 1]);
    });

    it('lists only the used link in the health of the event', async () => {
      const { settlement } = await get<{ settlement: object[] }>('evt_1/health');
      expect(settlement).toMatchObject([used]);
      expect(settlement).toHaveLength(1);
    });

    it('returns no records if no link is used', async () => {
      addEvent({ links: [aLink({ used: false })] });
      expect(await get('evt_1/settlement')).toMatchObject({ records: [] });
      expect(await get('evt_1/health')).toMatchObject({ settlement: [] });
    });
  });

  it.each(['all=', 'all=1', 'all=TRUE', 'all=yes', 'all=true&all=false'])(
    'refuses %s and names the parameter',
    async (query) => {
      addEvent();
      const { error } = await get<{ error: { code: string; message: string } }>(`evt_1/settlement?${query}`, 400);
      expect(error.code).toBe('validation_failed');
      expect(error.message).toBe(`all: must be ${query.includes('&') ? 'given once' : 'true or false'}`);
    },
  );
});

describe('GET /v1/events/{universalId}/anomaly-history', () => {
  const ids = async (query = '') => {
    const response = await get<{ anomalies: { id: string }[] }>(`evt_1/anomaly-history${query}`);
    getAnomalyHistory.response.parse(response);
    return response.anomalies.map(({ id }) => id);
  };

  it("returns the last 7 days by the pipeline's clock, newest first", async () => {
    addEvent();
    await insertAnomalies(store, [
      anAnomaly({ id: 'an_old', ts: NOON_MS - 7 * DAY_MS }),
      anAnomaly({ id: 'an_new', kind: 'wallet_burst' }),
      anAnomaly({ id: 'an_other', marketId: '0xother' }),
    ]);
    expect(await ids()).toEqual(['an_new', 'an_old']);
    expect(await ids('?kind=wallet_burst')).toEqual(['an_new']);
    expect(await ids('?limit=1')).toEqual(['an_new']);
    expect(await ids('?limit=0')).toEqual(['an_new']);
    expect(await ids('?limit=99999999999')).toEqual(['an_new', 'an_old']);
    tick(NOON_MS + 1);
    test.advance(2_000);
    expect(await ids()).toEqual(['an_new']);
  });

  it('returns complete records', async () => {
    addEvent();
    await insertAnomalies(store, [anAnomaly()]);
    expect(await get('evt_1/anomaly-history')).toEqual({
      universalId: 'evt_1',
      anomalies: [
        {
          id: 'an_1',
          kind: 'trade_volume_spike',
          universalId: 'evt_1',
          provider: 'venue_b',
          marketId: '0xmarket',
          ts: '2026-03-01T12:00:00.000Z',
          bucketVol: 5200.5,
          baselineMean: 800,
          baselineStddev: 400,
          zScore: 11.00125,
          raw: { trades: 7 },
        },
      ],
    });
  });

  it('assigns anomalies from before a merge to the remaining event', async () => {
    addEvent({ universalId: 'evt_old', links: [], mergedInto: 'evt_mid' });
    addEvent({ universalId: 'evt_mid', links: [], mergedInto: 'evt_1' });
    addEvent();
    await insertAnomalies(store, [anAnomaly({ universalId: 'evt_old' })]);
    expect(await get('evt_mid/anomaly-history')).toMatchObject({
      universalId: 'evt_1',
      anomalies: [{ id: 'an_1', universalId: 'evt_1' }],
    });
  });

  it('returns the anomalies of a market only for the event that it is linked to now', async () => {
    addEvent();
    addEvent({ universalId: 'evt_2', links: [aLink({ providerMarketId: '0xother' })] });
    await insertAnomalies(store, [
      anAnomaly({ universalId: 'evt_2' }),
      anAnomaly({ id: 'an_2', universalId: 'evt_1', marketId: '0xother' }),
      // A market of another venue may have the same id.
      anAnomaly({ id: 'an_3', provider: 'venue_a_outcome' }),
    ]);
    expect(await ids()).toEqual(['an_1']);
    expect(await get('evt_2/anomaly-history')).toMatchObject({
      universalId: 'evt_2',
      anomalies: [{ id: 'an_2', universalId: 'evt_2' }],
    });
  });

  it.each(['kind=trade-volume', 'kind=', 'limit=x', 'limit=1.5'])(
    'refuses %s and names the parameter',
    async (query) => {
      addEvent();
      const { error } = await get<{ error: { code: string; message: string } }>(`evt_1/anomaly-history?${query}`, 400);
      expect(error.code).toBe('validation_failed');
      expect(error.message).toContain(query.split('=')[0]);
    },
  );
});

it('GET …/health returns the same data as the routes of its parts', async () => {
  addEvent({ links: [aLink(), aLink({ providerMarketId: '0xother', yesInstrument: '333', noInstrument: '444' })] });
  tick(NOON_MS);
  await insertMarkets(store, 'venue_b', [aMarket(), aMarket({ marketId: '0xother' })]);
  await insertPhases(store, [aPhase({ id: 'b', blockNumber: 80, phase: 'settle' }), aPhase()]);
  await insertResolutions(store, [
    aResolution(),
    aResolution({ id: 'o', marketId: '0xother', resolvedAt: NOON_MS - 1, payouts: ['0.5', '0.5'] }),
  ]);
  await insertAnomalies(store, [anAnomaly(), anAnomaly({ id: 'an_2', bucketVol: null, raw: null, ts: NOON_MS - 1 })]);
  const meta = { topic: '', partition: 0, offset: 0, key: '', receivedAt: NOON_MS };
  const trades = [1, 2, 3].map((nth) => aTrade({ id: `t${nth}`, arrival: nth, instrument: nth === 2 ? '444' : '111' }));
  await store.insert(
    'trades',
    trades.map((trade, seq) => tradesTable.row(trade, { ...meta, seq })),
  );
  const health = await get<Record<string, unknown[]>>('evt_1/health');
  getEventHealth.response.parse(health);
  const part = async (path: string, name: string) => (await get<Record<string, unknown[]>>(`evt_1/${path}`))[name]!;
  expect(health.settlement).toEqual(await part('settlement', 'records'));
  expect(health.disputeHistory).toEqual(await part('dispute-history', 'disputes'));
  expect(health.recentAnomalies).toEqual(await part('anomaly-history', 'anomalies'));
  expect(health.recentTrades).toEqual(await part('trades', 'trades'));
  const counts = ['settlement', 'disputeHistory', 'recentAnomalies', 'recentTrades'].map(
    (name) => health[name]!.length,
  );
  expect(counts).toEqual([2, 2, 2, 3]);
  expect(health.edgeHalfLife).toMatchObject({ medianHalfLifeSec: null, decayedSignals: 0 });
});

describe.each(['dispute-history', 'settlement', 'anomaly-history'])('GET /v1/events/{universalId}/%s', (thing) => {
  it('answers 404 for an unknown event', async () => {
    expect(await get(`evt_unknown/${thing}`, 404)).toMatchObject({ error: { code: 'not_found' } });
  });

  it('answers the id of a merged event with the markets of the remaining event', async () => {
    addEvent({ universalId: 'evt_old', links: [], mergedInto: 'evt_1' });
    addEvent();
    await insertMarkets(store, 'venue_b', [aMarket()]);
    await insertPhases(store, [aPhase()]);
    await insertResolutions(store, [aResolution()]);
    await insertAnomalies(store, [anAnomaly()]);
    const expected = await get(`evt_1/${thing}`);
    expect(await get(`evt_old/${thing}`)).toEqual(expected);
    expect(Object.values(expected as object).find(Array.isArray)).toHaveLength(1);
  });

  it('returns an empty list for an event without data, also if it has no markets', async () => {
    addEvent();
    addEvent({ universalId: 'evt_bare', links: [] });
    for (const id of ['evt_1', 'evt_bare']) {
      const response = await get<object>(`${id}/${thing}`);
      expect(Object.values(response).find(Array.isArray)).toEqual([]);
    }
  });
});
