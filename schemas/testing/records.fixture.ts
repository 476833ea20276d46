/** Complete records of topics for the tests of several rooms, with a default for every field that a test does not set. */
import type { Anomaly } from '../topics/anomalies.ts';
import type { Candle, CandleRange } from '../topics/candles.ts';
import type { Arbitrage, EventLink, Spread, UniversalEvent } from '../topics/derived.ts';
import type { Market } from '../topics/normalised.ts';
import type { DisputePhase, Resolution } from '../topics/oracle.ts';

const PROPOSER = `0x${'aa'.repeat(20)}`;

/** A linked market of venue_b whose fee is unknown. */
export function aLink(fields: Partial<EventLink> = {}): EventLink {
  return {
    provider: 'venue_b',
    providerMarketId: '0xc',
    confidence: 1,
    source: 'ner',
    polarity: 'same',
    used: true,
    evidence: '{}',
    yesInstrument: '1',
    noInstrument: '2',
    takerFeeRate: null,
    marketState: 'open',
    title: 'A market',
    endTime: null,
    ...fields,
  };
}

/** A minute of BTC from recorded trades. */
export function aCandle(fields: Partial<Candle> = {}): Candle {
  return {
    provider: 'venue_a_perp',
    coin: 'BTC',
    openTime: 60_000,
    receivedAt: 60_001,
    open: '100',
    high: '200',
    low: '50',
    close: '101',
    volume: '0.1',
    trades: 1,
    source: 'venue_node',
    intervalMs: 60_000,
    openTs: null,
    openArrival: null,
    closeTs: null,
    closeArrival: null,
    ...fields,
  };
}

/** A range from 1970 on in which the recorded trades of BTC are complete. */
export function aCandleRange(fields: Partial<CandleRange> = {}): CandleRange {
  return {
    provider: 'venue_a_perp',
    coin: 'BTC',
    source: 'venue_node',
    intervalMs: 60_000,
    id: 'first 1',
    kind: 'complete',
    from: 0,
    until: null,
    receivedAt: 60_001,
    ...fields,
  };
}

/** An open event without markets and without recognised fields. */
export function anEvent(fields: Partial<UniversalEvent> = {}): UniversalEvent {
  return {
    universalId: 'evt_1',
    receivedAt: 1_000,
    canonicalName: '',
    kind: null,
    underlying: null,
    threshold: null,
    op: null,
    resolutionTime: null,
    status: 'open',
    firstSeenAt: 1_000,
    lastSeenAt: 1_000,
    links: [],
    mergedInto: null,
    details: '{}',
    overAt: null,
    ...fields,
  };
}

/** A spread with one live leg of venue_b, which caused it. */
export function aSpread(fields: Partial<Spread> = {}): Spread {
  return {
    universalId: 'evt_1',
    receivedAt: 2_000,
    legs: [
      {
        provider: 'venue_b',
        marketId: '0xc',
        yesBid: '0.4',
        yesAsk: '0.6',
        yesMid: '0.5',
        live: true,
        bookAt: 1_990,
        state: 'live',
      },
    ],
    causeProvider: 'venue_b',
    causeMarketId: '0xc',
    ...fields,
  };
}

/** A purchase of YES on venue_b and NO on venue_a for less than one dollar, found at a tick. */
export function anArbitrage(fields: Partial<Arbitrage> = {}): Arbitrage {
  return {
    universalId: 'evt_1',
    receivedAt: 2_000,
    kind: 'negation_pair',
    size: '100',
    grossEdge: '0.02',
    netEdge: '0.01',
    quoteAgeMs: 10,
    firstProvider: 'venue_b',
    firstMarketId: '0xc',
    firstPrice: '0.4',
    firstFee: '0',
    secondProvider: 'venue_a_outcome',
    secondMarketId: '#70',
    secondPrice: '0.58',
    secondFee: '0.01',
    causeProvider: null,
    causeMarketId: null,
    ...fields,
  };
}

export function aMarket(fields: Partial<Market> = {}): Market {
  return {
    provider: 'venue_b',
    marketId: '0xc',
    receivedAt: 900,
    title: '',
    description: '',
    groupTitle: null,
    groupItemTitle: null,
    slug: null,
    resolutionSource: null,
    startTime: null,
    endTime: null,
    instruments: ['1', '2'],
    outcomes: ['Yes', 'No'],
    active: true,
    closed: false,
    takerFeeRate: null,
    fields: '{}',
    resolved: false,
    name: null,
    ...fields,
  };
}

export function aPhase(fields: Partial<DisputePhase> = {}): DisputePhase {
  return {
    id: 'venue_b:0xt:1',
    provider: 'venue_b',
    marketId: '0xc',
    questionId: '0xq',
    phase: 'propose',
    requestTimestamp: 1,
    proposer: PROPOSER,
    disputer: null,
    price: '1',
    ts: 1_900,
    receivedAt: 2_000,
    blockNumber: 5,
    blockHash: '0xb',
    txHash: '0xt',
    logIndex: 1,
    status: 'pending',
    ...fields,
  };
}

export function aResolution(fields: Partial<Resolution> = {}): Resolution {
  return {
    id: 'venue_b:0xr:1',
    provider: 'venue_b',
    marketId: '0xc',
    payouts: ['1', '0'],
    resolvedAt: 2_900,
    decidedAfter: null,
    receivedAt: 3_000,
    endTime: 1_000,
    txHash: '0xr',
    logIndex: 1,
    blockNumber: 6,
    blockHash: '0xb6',
    status: 'pending',
    ...fields,
  };
}

export function anAnomaly(fields: Partial<Anomaly> = {}): Anomaly {
  return {
    id: 'an_1',
    kind: 'trade_volume_spike',
    universalId: 'evt_1',
    provider: 'venue_b',
    marketId: '0xc',
    ts: 0,
    receivedAt: 4_000,
    bucketVol: '5200.000000000000000001',
    value: '5200.000000000000000001',
    baselineMean: '800',
    baselineStddev: '400',
    zScore: '11.25',
    raw: '{"trades":7}',
    ...fields,
  };
}
