/** The `data` of each event type that `POST /v1/webhooks/{id}/test` sends. It is of no tenant and of no real market. */

const AT = '2026-01-01T00:00:00.000Z';
const UNIVERSAL_ID = 'evt_sample';
const MARKET_ID = `0x${'5a'.repeat(32)}`;
const TX_HASH = `0x${'7e'.repeat(32)}`;
const OWN = `0x${'a1'.repeat(20)}`;
const OTHER = `0x${'b2'.repeat(20)}`;
const WALLETS = [{ walletId: 'wal_sample', address: OWN, role: 'taker' }];
const PERP = { broker: 'venue_a', provider: 'venue_a_perp', coin: 'BTC' };

/** By event type. */
export const SAMPLES = {
  'broker.trade.executed': {
    broker: 'venue_b',
    id: `venue_b:${TX_HASH}:1`,
    provider: 'venue_b',
    marketId: MARKET_ID,
    instrument: '1234567890',
    ts: AT,
    side: 'buy',
    price: '0.42',
    qty: '100',
    usd: '42',
    maker: OTHER,
    taker: OWN,
    txHash: TX_HASH,
    logIndex: 1,
    tradeId: null,
    status: 'pending',
    wallets: WALLETS,
  },
  'broker.funding.updated': { ...PERP, usd: '-0.125', rate: '0.0000125', size: '0.1', at: AT, wallets: WALLETS },
  'broker.position.liquidated': {
    ...PERP,
    price: '64000.5',
    qty: '0.1',
    markPrice: '64001',
    method: 'market',
    at: AT,
    wallets: WALLETS,
  },
  'event.spread.changed': {
    universalId: UNIVERSAL_ID,
    legs: [
      { provider: 'venue_a_outcome', marketId: '#10', yesBid: '0.4', yesAsk: '0.44', yesMid: '0.42' },
      { provider: 'venue_b', marketId: MARKET_ID, yesBid: '0.46', yesAsk: null, yesMid: null },
    ],
    at: AT,
  },
  'event.arbitrage.detected': {
    universalId: UNIVERSAL_ID,
    kind: 'cross_provider',
    size: '100',
    grossEdge: '0.02',
    netEdge: '0.012',
    quoteAgeMs: 250,
    first: { provider: 'venue_a_outcome', marketId: '#10', price: '0.44', fee: '0.003' },
    second: { provider: 'venue_b', marketId: MARKET_ID, price: '0.46', fee: '0.005' },
    at: AT,
  },
  'event.anomaly.detected': {
    id: 'an_sample',
    kind: 'trade_volume_spike',
    universalId: UNIVERSAL_ID,
    provider: 'venue_b',
    marketId: MARKET_ID,
    ts: AT,
    bucketVol: '5200',
    baselineMean: '800',
    baselineStddev: '400',
    zScore: '11',
  },
  'event.settlement.landed': {
    universalId: UNIVERSAL_ID,
    provider: 'venue_b',
    marketId: MARKET_ID,
    used: true,
    outcome: 'yes',
    payouts: ['1', '0'],
    resolvedAt: AT,
    resolvedAtIsBound: false,
    endTime: '2025-12-31T23:00:00.000Z',
    settlementDelaySec: 3_600,
    txHash: TX_HASH,
    logIndex: 4,
    blockNumber: 71_000_000,
    status: 'confirmed',
  },
  'event.dispute.updated': {
    universalId: UNIVERSAL_ID,
    id: `venue_b:${TX_HASH}:3`,
    phase: 'propose',
    provider: 'venue_b',
    marketId: MARKET_ID,
    questionId: MARKET_ID,
    requestTimestamp: 1_767_225_600,
    proposer: OTHER,
    disputer: null,
    price: '1',
    ts: AT,
    blockNumber: 71_000_000,
    txHash: TX_HASH,
    logIndex: 3,
    status: 'confirmed',
  },
} as const;
