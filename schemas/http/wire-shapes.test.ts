import { describe, expect, it } from 'vitest';
import type { Arbitrage, Spread, UniversalEvent } from '../topics/derived.ts';
import type { Trade } from '../topics/normalised.ts';
import { arbitrageRecordSchema, toArbitrageRecord } from './arbitrage.ts';
import { spreadSnapshotSchema, toSpreadSnapshot } from './spread.ts';
import { toTradeRecord, tradeRecordSchema } from './trade.ts';
import { toUniversalEvent, universalEventSchema } from './universal-event.ts';

const AT = Date.UTC(2031, 4, 6, 7, 8, 9, 10);
const AT_TEXT = '2031-05-06T07:08:09.010Z';

const trade: Trade = {
  id: 'venue_b:0xt:4',
  provider: 'venue_b',
  marketId: '0xc',
  instrument: '77',
  outcome: 'Yes',
  ts: AT,
  receivedAt: AT + 5,
  arrival: 9,
  side: 'sell',
  price: '0.25',
  qty: '12.5',
  usd: '3.125',
  maker: '0xm',
  taker: '0xk',
  txHash: '0xt',
  logIndex: 4,
  tradeId: null,
  blockNumber: 3,
  blockHash: '0xb',
  orders: null,
  status: 'pending',
};

const spread: Spread = {
  universalId: 'evt_1',
  receivedAt: AT,
  legs: [
    {
      provider: 'venue_b',
      marketId: '0xc',
      yesBid: '0.4',
      yesAsk: null,
      yesMid: null,
      live: true,
      bookAt: AT,
      state: 'live',
    },
  ],
  causeProvider: 'venue_b',
  causeMarketId: '0xc',
};

const arbitrage: Arbitrage = {
  universalId: 'evt_1',
  receivedAt: AT,
  kind: 'cross_provider',
  size: '100',
  grossEdge: '0.02',
  netEdge: '-0.001',
  quoteAgeMs: 40,
  firstProvider: 'venue_b',
  firstMarketId: '0xc',
  firstPrice: '0.5',
  firstFee: '0.01',
  secondProvider: 'venue_a_outcome',
  secondMarketId: '#10',
  secondPrice: '0.52',
  secondFee: '0.0004',
  causeProvider: null,
  causeMarketId: null,
};

const event: UniversalEvent = {
  universalId: 'evt_1',
  receivedAt: AT,
  canonicalName: 'A question',
  kind: null,
  underlying: null,
  threshold: null,
  op: null,
  resolutionTime: null,
  status: 'open',
  firstSeenAt: AT,
  lastSeenAt: AT,
  links: [
    {
      provider: 'venue_b',
      providerMarketId: '0xc',
      confidence: 1,
      source: 'catalog',
      polarity: 'same',
      used: true,
      evidence: '{"why":"alone"}',
      yesInstrument: '77',
      noInstrument: '78',
      takerFeeRate: null,
      marketState: 'open',
      title: 'A question',
      endTime: AT,
    },
  ],
  mergedInto: null,
  details: '{}',
  overAt: null,
};

describe('wire shapes', () => {
  it('have a token in a trade of venue_b only', () => {
    const record = toTradeRecord(trade);
    expect(tradeRecordSchema.parse(record)).toEqual(record);
    expect(record).toMatchObject({ ts: AT_TEXT, price: 0.25, qty: 12.5, tokenId: '77', logIndex: 4, tradeId: null });
    expect(toTradeRecord({ ...trade, provider: 'venue_a_perp', instrument: 'BTC' }).tokenId).toBeNull();
  });

  it('have null for an unknown side of a spread and no internal field', () => {
    const snapshot = toSpreadSnapshot(spread);
    expect(spreadSnapshotSchema.parse(snapshot)).toEqual(snapshot);
    expect(snapshot).toEqual({
      universalId: 'evt_1',
      legs: [
        { provider: 'venue_b', marketId: '0xc', yesBid: 0.4, yesAsk: null, yesMid: null, state: 'live', asOf: AT_TEXT },
      ],
      spread: null,
      fetchedAt: AT_TEXT,
    });
  });

  it('have the exact distance of live legs in a spread', () => {
    const [leg] = spread.legs;
    const legs = ['0.3', '0.1'].map((yesMid) => ({ ...leg!, yesMid, live: true }));
    expect(toSpreadSnapshot({ ...spread, legs }).spread).toBe(0.2);
  });

  it('name the legs of an arbitrage by its kind', () => {
    const cross = toArbitrageRecord(arbitrage);
    expect(arbitrageRecordSchema.parse(cross)).toEqual(cross);
    expect(cross).toMatchObject({ buyProvider: 'venue_b', sellMarketId: '#10', sellFee: 0.0004, at: AT_TEXT });
    const negation = toArbitrageRecord({ ...arbitrage, kind: 'negation_pair' });
    expect(arbitrageRecordSchema.parse(negation)).toEqual(negation);
    expect(negation).toMatchObject({ yesProvider: 'venue_b', noMarketId: '#10', noPrice: 0.52, netEdge: -0.001 });
    expect(negation).not.toHaveProperty('buyProvider');
  });

  it('have nulls for an unrecognised event and its evidence as an object', () => {
    const wire = toUniversalEvent(event);
    expect(universalEventSchema.parse(wire)).toEqual(wire);
    expect(wire).toMatchObject({ kind: null, threshold: null, resolutionDate: null, firstSeenAt: AT_TEXT });
    expect(wire.links).toEqual([
      {
        provider: 'venue_b',
        providerMarketId: '0xc',
        confidence: 1,
        source: 'catalog',
        evidence: { why: 'alone' },
        polarity: 'same',
        used: true,
        title: 'A question',
        closesAt: AT_TEXT,
        tokens: { yes: '77', no: '78' },
      },
    ]);
  });

  it('have a strike as a number and a deadline as a time', () => {
    const wire = toUniversalEvent({ ...event, kind: 'price_binary', threshold: '64000.5', resolutionTime: AT });
    expect(wire).toMatchObject({ threshold: 64000.5, resolutionDate: AT_TEXT });
  });
});
