/** Tests the queries for dispute phases, settlements and anomalies with real tables. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AnomalyKind } from '#schemas/topics/anomalies';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import {
  aMarket,
  anAnomaly,
  aPhase,
  aResolution,
  insertAnomalies,
  insertMarkets,
  insertPhases,
  insertResolutions,
} from '../testing/oracle.fixture.ts';
import { aLink, NOON_MS } from '../testing/records.fixture.ts';
import { readAnomalies } from './read-anomalies.ts';
import { readDisputePhases } from './read-dispute-phases.ts';
import { readSettlements } from './read-settlements.ts';

const { store, close } = await openTestStore();
afterAll(close);
beforeEach(async () => {
  for (const table of ['dispute_phases', 'resolutions', 'anomalies', 'markets'])
    await store.command(`TRUNCATE TABLE ${table}`);
});

const OURS = aLink();
const OTHER = aLink({ providerMarketId: '0xother' });
const OUTCOME = aLink({ provider: 'venue_a_outcome', providerMarketId: '#70', polarity: 'inverse', used: false });

describe('readDisputePhases', () => {
  it('returns phases unchanged, oldest first by position in the chain', async () => {
    const phases = [
      aPhase({ id: 'a', blockNumber: 9, logIndex: 2 }),
      aPhase({ id: 'b', blockNumber: 9, logIndex: 10, phase: 'dispute', disputer: `0x${'dd'.repeat(20)}` }),
      aPhase({
        id: 'c',
        blockNumber: 10,
        logIndex: 1,
        phase: 'propose',
        requestTimestamp: 1_700_000_900,
        price: '0.5',
      }),
      aPhase({ id: 'd', blockNumber: 100, logIndex: 0, phase: 'settle', price: 'ignore', status: 'pending' }),
      aPhase({ id: 'e', blockNumber: 101, logIndex: 0, phase: 'settle', price: null, proposer: null }),
    ];
    await insertPhases(store, phases.toReversed());
    expect(await readDisputePhases(store, [OURS])).toEqual(phases);
    expect(await readDisputePhases(store, [OTHER])).toEqual([]);
    expect(await readDisputePhases(store, [])).toEqual([]);
  });

  it('returns each phase once, in its newest version, and no reverted ones', async () => {
    await insertPhases(store, [
      aPhase({ id: 'a', status: 'pending', marketId: null }),
      aPhase({ id: 'b', status: 'pending', logIndex: 2 }),
    ]);
    expect((await readDisputePhases(store, [OURS])).map(({ id }) => id)).toEqual(['b']);
    await insertPhases(store, [aPhase({ id: 'a' }), aPhase({ id: 'b', logIndex: 2, status: 'reverted' })], 10);
    expect(await readDisputePhases(store, [OURS])).toEqual([aPhase({ id: 'a' })]);
    // Included again in another block.
    await insertPhases(store, [aPhase({ id: 'b', logIndex: 2, blockNumber: 72 })], 20);
    expect((await readDisputePhases(store, [OURS])).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('uses the market of the newest version, even while older versions are unmerged', async () => {
    await insertPhases(store, [aPhase({ id: 'a' })]);
    await insertPhases(store, [aPhase({ id: 'a', marketId: null })], 10);
    expect(await readDisputePhases(store, [OURS])).toEqual([]);
    await insertPhases(store, [aPhase({ id: 'a', marketId: '0xother' })], 20);
    expect(await readDisputePhases(store, [OURS])).toEqual([]);
    expect(await readDisputePhases(store, [OTHER])).toHaveLength(1);
  });

  it('merges the phases of several markets into one order, without other markets', async () => {
    await insertPhases(store, [
      aPhase({ id: 'a', blockNumber: 3, questionId: 'q1' }),
      aPhase({ id: 'b', blockNumber: 1, questionId: 'q2', marketId: '0xother' }),
      aPhase({ id: 'c', blockNumber: 2, questionId: 'q3', marketId: '0xthird' }),
      aPhase({ id: 'd', blockNumber: 2, questionId: 'q3', marketId: null, logIndex: 7 }),
    ]);
    expect((await readDisputePhases(store, [OURS, OTHER])).map(({ id }) => id)).toEqual(['b', 'a']);
  });
});

describe('readSettlements', () => {
  it("returns outcomes in the event's terms with the market's own payouts, in order of resolution", async () => {
    await insertMarkets(store, 'venue_b', [aMarket({ outcomes: ['No', 'Yes'] })]);
    await insertMarkets(store, 'venue_a', [aMarket({ provider: 'venue_a_outcome', marketId: '#70' })]);
    const offChain = { txHash: null, logIndex: null, blockNumber: null, blockHash: null, endTime: null };
    await insertResolutions(store, [
      aResolution({ payouts: ['0', '1'] }),
      aResolution({ ...offChain, id: 'x', provider: 'venue_a_outcome', marketId: '#70', resolvedAt: NOON_MS - 1 }),
    ]);
    expect(await readSettlements(store, [OUTCOME, OURS])).toEqual([
      {
        provider: 'venue_a_outcome',
        marketId: '#70',
        used: false,
        outcome: 'no',
        payouts: ['1', '0'],
        resolvedAt: '2026-03-01T11:59:59.999Z',
        resolvedAtIsBound: true,
        endTime: null,
        settlementDelaySec: null,
        txHash: null,
        logIndex: null,
        blockNumber: null,
        status: 'confirmed',
      },
      {
        provider: 'venue_b',
        marketId: '0xmarket',
        used: true,
        outcome: 'yes',
        payouts: ['0', '1'],
        resolvedAt: '2026-03-01T12:00:00.000Z',
        resolvedAtIsBound: false,
        endTime: '2026-03-01T10:59:59.600Z',
        settlementDelaySec: 3600,
        txHash: '0xr',
        logIndex: 1,
        blockNumber: 71,
        status: 'confirmed',
      },
    ]);
    expect(await readSettlements(store, [])).toEqual([]);
  });

  it('returns the newest resolution of each market that is not reverted', async () => {
    await insertMarkets(store, 'venue_b', [aMarket(), aMarket({ marketId: '0xother' })]);
    await insertResolutions(store, [
      aResolution({ status: 'pending' }),
      aResolution({ id: 'later', resolvedAt: NOON_MS + 9, payouts: ['0.5', '0.5'] }),
      aResolution({ id: 'o', marketId: '0xother', resolvedAt: NOON_MS + 1 }),
    ]);
    const outcomes = async () =>
      (await readSettlements(store, [OURS, OTHER])).map(({ marketId, outcome }) => `${marketId} ${outcome}`);
    expect(await outcomes()).toEqual(['0xother yes', '0xmarket split']);
    await insertResolutions(store, [aResolution({ id: 'later', resolvedAt: NOON_MS + 9, status: 'reverted' })], 10);
    expect(await outcomes()).toEqual(['0xmarket yes', '0xother yes']);
    await insertResolutions(store, [aResolution({ status: 'reverted' })], 20);
    expect(await outcomes()).toEqual(['0xother yes']);
  });

  it('leaves out a market whose outcome names are unknown', async () => {
    await insertResolutions(store, [aResolution()]);
    expect(await readSettlements(store, [OURS])).toEqual([]);
    await insertMarkets(store, 'venue_b', [aMarket()]);
    expect(await readSettlements(store, [OURS])).toHaveLength(1);
  });
});

describe('readAnomalies', () => {
  const numbered = (nth: number, fields: Parameters<typeof anAnomaly>[0] = {}) =>
    anAnomaly({ id: `an_${nth}`, ts: NOON_MS + nth, ...fields });
  const idsOf = async (filter: { ids?: string[] | null; kind?: AnomalyKind; since?: number; limit?: number }) => {
    const { ids = ['0xmarket'], kind = null, since = 0, limit = 100 } = filter;
    const markets = ids?.map((providerMarketId) => aLink({ providerMarketId }));
    return (await readAnomalies(store, { markets: markets ?? null, kind, since, limit })).map(({ id }) => id);
  };

  it('returns anomalies newest first with exact decimals', async () => {
    const anomaly = numbered(1, { bucketVol: null, raw: null, zScore: '12345678901234567890.000000000000000001' });
    await insertAnomalies(store, [anomaly, numbered(2)]);
    const [second, firstRow] = await readAnomalies(store, { markets: [OURS], kind: null, since: 0, limit: 9 });
    const { receivedAt, value, ...row } = anomaly;
    expect(firstRow).toEqual(row);
    expect(second).toMatchObject({ id: 'an_2', bucketVol: '5200.5', raw: '{"trades":7}' });
  });

  it('filters by market, kind and time, and applies the limit', async () => {
    await insertAnomalies(store, [
      numbered(1),
      numbered(2, { kind: 'wallet_burst' }),
      numbered(3, { marketId: '0xother' }),
      numbered(5, { provider: 'venue_a_outcome' }),
      numbered(4),
    ]);
    expect(await idsOf({})).toEqual(['an_4', 'an_2', 'an_1']);
    expect(await idsOf({ ids: ['0xother', '0xmarket'], limit: 2 })).toEqual(['an_4', 'an_3']);
    expect(await idsOf({ ids: null })).toEqual(['an_5', 'an_4', 'an_3', 'an_2', 'an_1']);
    expect(await idsOf({ ids: [] })).toEqual([]);
    expect(await idsOf({ kind: 'wallet_burst' })).toEqual(['an_2']);
    expect(await idsOf({ since: NOON_MS + 2 })).toEqual(['an_4', 'an_2']);
  });

  it('returns the newest of more markets than fit into one statement', async () => {
    await insertAnomalies(store, [numbered(1), numbered(2, { marketId: '0xlast' }), numbered(3)]);
    const ids = ['0xmarket', ...Array.from({ length: 2_500 }, (_, at) => `0xnone${at}`), '0xlast'];
    expect(await idsOf({ ids, limit: 2 })).toEqual(['an_3', 'an_2']);
  });
});
