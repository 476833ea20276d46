/** The event routes that tell of the oracle, of settlements and of anomalies, over the real tables. */
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
  keepAnomalies,
  keepMarkets,
  keepPhases,
  keepResolutions,
} from '../../../testing/oracle.fixture.ts';
import { aLink, anEvent, aTrade, feed, NOON_MS } from '../../../testing/records.fixture.ts';
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

const tell = (fields: Partial<UniversalEvent> = {}) => {
  const event = anEvent(fields);
  feed(VIEWS.events, test.views.events, eventTopic, event.universalId, event);
};
const tick = (receivedAt: number) =>
  feed(
    VIEWS.events,
    test.views.events,
    clockTopic,
    'clock',
    { receivedAt, tick: true, hour: false, day: false },
    receivedAt,
  );
const ask = async <T>(path: string, status = 200): Promise<T> => {
  const answer = await test.get(`/v1/events/${path}`);
  expect(answer.status, answer.body).toBe(status);
  return answer.json();
};

describe('GET /v1/events/{universalId}/dispute-history', () => {
  it('tells the surviving phases of every linked market, oldest first', async () => {
    tell({ links: [aLink(), aLink({ providerMarketId: '0xother' })] });
    await keepPhases(store, [
      aPhase({ id: 'c', blockNumber: 90, phase: 'settle', status: 'pending' }),
      aPhase({ id: 'b', blockNumber: 80, marketId: '0xother', questionId: '0xq2' }),
      aPhase({ id: 'gone', blockNumber: 75, status: 'reverted' }),
      aPhase({ id: 'a' }),
      aPhase({ id: 'foreign', marketId: '0xforeign', questionId: '0xq3' }),
    ]);
    const answer = await ask<{ disputes: { id: string }[] }>('evt_1/dispute-history');
    getDisputeHistory.response.parse(answer);
    expect(answer).toMatchObject({ universalId: 'evt_1' });
    expect(answer.disputes.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(answer.disputes[0]).toEqual({
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
  it('tells one record of each settled market, as of the clock, never older than what it tells', async () => {
    tell({ links: [aLink({ polarity: 'inverse' }), aLink({ providerMarketId: '0xother' })] });
    await keepMarkets(store, 'venue_b', [aMarket(), aMarket({ marketId: '0xother' })]);
    tick(NOON_MS - 5_000);
    await keepResolutions(store, [aResolution()]);
    const answer = await ask<{ records: object[] }>('evt_1/settlement');
    getSettlement.response.parse(answer);
    expect(answer).toMatchObject({ universalId: 'evt_1', fetchedAt: '2026-03-01T12:00:00.000Z' });
    expect(answer.records).toMatchObject([{ marketId: '0xmarket', outcome: 'no', payouts: ['1', '0'] }]);
    tick(NOON_MS + 5_000);
    test.advance(2_000);
    expect(await ask('evt_1/settlement')).toMatchObject({ fetchedAt: '2026-03-01T12:00:05.000Z' });
  });

  describe('of an event with a link that is not used', () => {
    beforeEach(async () => {
      tell({ links: [aLink(), aLink({ providerMarketId: '0xother', used: false })] });
      await keepMarkets(store, 'venue_b', [aMarket(), aMarket({ marketId: '0xother' })]);
      await keepResolutions(store, [
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
    ])('answers settlement%s with the records that were asked for', async (query, expected) => {
      const answer = await ask<{ records: object[] }>(`evt_1/settlement${query}`);
      getSettlement.response.parse(answer);
      expect(answer.records).toMatchObject(expected);
      expect(answer.records).toHaveLength(expected.length);
    });

    it('keeps the answers with and without unused links apart', async () => {
      const counts = [];
      for (const query of ['', '?all=true', '?all=false']) {
        counts.push((await ask<{ records: object[] }>(`evt_1/settlement${query}`)).records.length);
      }
      expect(counts).toEqual([1, 2, 1]);
    });

    it('has health list the used one alone', async () => {
      const { settlement } = await ask<{ settlement: object[] }>('evt_1/health');
      expect(settlement).toMatchObject([used]);
      expect(settlement).toHaveLength(1);
    });

    it('answers with no records where no link is used', async () => {
      tell({ links: [aLink({ used: false })] });
      expect(await ask('evt_1/settlement')).toMatchObject({ records: [] });
      expect(await ask('evt_1/health')).toMatchObject({ settlement: [] });
    });
  });

  it.each(['all=', 'all=1', 'all=TRUE', 'all=yes', 'all=true&all=false'])('refuses %s by name', async (query) => {
    tell();
    const { error } = await ask<{ error: { code: string; message: string } }>(`evt_1/settlement?${query}`, 400);
    expect(error.code).toBe('validation_failed');
    expect(error.message).toBe(`all: must be ${query.includes('&') ? 'given once' : 'true or false'}`);
  });
});

describe('GET /v1/events/{universalId}/anomaly-history', () => {
  const ids = async (query = '') => {
    const answer = await ask<{ anomalies: { id: string }[] }>(`evt_1/anomaly-history${query}`);
    getAnomalyHistory.response.parse(answer);
    return answer.anomalies.map(({ id }) => id);
  };

  it("tells the last 7 days by the pipeline's clock, newest first", async () => {
    tell();
    await keepAnomalies(store, [
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

  it('tells a record whole', async () => {
    tell();
    await keepAnomalies(store, [anAnomaly()]);
    expect(await ask('evt_1/anomaly-history')).toEqual({
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

  it("tells what was detected before mergers as the survivor's", async () => {
    tell({ universalId: 'evt_old', links: [], mergedInto: 'evt_mid' });
    tell({ universalId: 'evt_mid', links: [], mergedInto: 'evt_1' });
    tell();
    await keepAnomalies(store, [anAnomaly({ universalId: 'evt_old' })]);
    expect(await ask('evt_mid/anomaly-history')).toMatchObject({
      universalId: 'evt_1',
      anomalies: [{ id: 'an_1', universalId: 'evt_1' }],
    });
  });

  it('goes with a market to its event of now, and leaves its former event', async () => {
    tell();
    tell({ universalId: 'evt_2', links: [aLink({ providerMarketId: '0xother' })] });
    await keepAnomalies(store, [
      anAnomaly({ universalId: 'evt_2' }),
      anAnomaly({ id: 'an_2', universalId: 'evt_1', marketId: '0xother' }),
      // Another venue's market may have the same name.
      anAnomaly({ id: 'an_3', provider: 'venue_a_outcome' }),
    ]);
    expect(await ids()).toEqual(['an_1']);
    expect(await ask('evt_2/anomaly-history')).toMatchObject({
      universalId: 'evt_2',
      anomalies: [{ id: 'an_2', universalId: 'evt_2' }],
    });
  });

  it.each(['kind=trade-volume', 'kind=', 'limit=x', 'limit=1.5'])('refuses %s by name', async (query) => {
    tell();
    const { error } = await ask<{ error: { code: string; message: string } }>(`evt_1/anomaly-history?${query}`, 400);
    expect(error.code).toBe('validation_failed');
    expect(error.message).toContain(query.split('=')[0]);
  });
});

it('GET …/health tells what the routes of its parts tell', async () => {
  tell({ links: [aLink(), aLink({ providerMarketId: '0xother', yesInstrument: '333', noInstrument: '444' })] });
  tick(NOON_MS);
  await keepMarkets(store, 'venue_b', [aMarket(), aMarket({ marketId: '0xother' })]);
  await keepPhases(store, [aPhase({ id: 'b', blockNumber: 80, phase: 'settle' }), aPhase()]);
  await keepResolutions(store, [
    aResolution(),
    aResolution({ id: 'o', marketId: '0xother', resolvedAt: NOON_MS - 1, payouts: ['0.5', '0.5'] }),
  ]);
  await keepAnomalies(store, [anAnomaly(), anAnomaly({ id: 'an_2', bucketVol: null, raw: null, ts: NOON_MS - 1 })]);
  const place = { topic: '', partition: 0, offset: 0, key: '', receivedAt: NOON_MS };
  const trades = [1, 2, 3].map((nth) => aTrade({ id: `t${nth}`, arrival: nth, instrument: nth === 2 ? '444' : '111' }));
  await store.insert(
    'trades',
    trades.map((trade, seq) => tradesTable.row(trade, { ...place, seq })),
  );
  const health = await ask<Record<string, unknown[]>>('evt_1/health');
  getEventHealth.response.parse(health);
  const part = async (path: string, name: string) => (await ask<Record<string, unknown[]>>(`evt_1/${path}`))[name]!;
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
  it('knows no event that nobody told of', async () => {
    expect(await ask(`evt_unknown/${thing}`, 404)).toMatchObject({ error: { code: 'not_found' } });
  });

  it("answers a merged event's id with the survivor, from its markets", async () => {
    tell({ universalId: 'evt_old', links: [], mergedInto: 'evt_1' });
    tell();
    await keepMarkets(store, 'venue_b', [aMarket()]);
    await keepPhases(store, [aPhase()]);
    await keepResolutions(store, [aResolution()]);
    await keepAnomalies(store, [anAnomaly()]);
    const own = await ask(`evt_1/${thing}`);
    expect(await ask(`evt_old/${thing}`)).toEqual(own);
    expect(Object.values(own as object).find(Array.isArray)).toHaveLength(1);
  });

  it('tells of an event where nothing happened yet, also of one without markets', async () => {
    tell();
    tell({ universalId: 'evt_bare', links: [] });
    for (const id of ['evt_1', 'evt_bare']) {
      const answer = await ask<object>(`${id}/${thing}`);
      expect(Object.values(answer).find(Array.isArray)).toEqual([]);
    }
  });
});
