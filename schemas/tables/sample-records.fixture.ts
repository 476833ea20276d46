/** One record for each table, with every field set, for tests. */

import { type Anomaly, anomalyTopic } from '../topics/anomalies.ts';
import { type ArbitrageSignal, arbitrageSignalTopic } from '../topics/arbitrage-signals.ts';
import { type AuditRecord, auditTopic } from '../topics/audit.ts';
import type { Arbitrage, Candle, Spread, UniversalEvent } from '../topics/derived.ts';
import { arbitrageTopic, candleTopic, eventTopic, spreadTopic } from '../topics/derived.ts';
import type { Market, Trade } from '../topics/normalised.ts';
import { marketTopics, tradeTopics } from '../topics/normalised.ts';
import { type DisputePhase, disputeTopic, type Resolution, resolutionTopics } from '../topics/oracle.ts';
import { type NodeUsageRecord, usageTopic } from '../topics/usage.ts';
import { attemptTopic, type Delivery, type DeliveryAttempt, deliveryTopic } from '../topics/webhooks.ts';
import type { RecordMeta } from './declaration.ts';
import { usageKey } from './usage.ts';

const AT = 1_765_432_100_987;
const DIGITS = '12345678901234567890.123456789012345678';
const metaOf = (topic: string, key: string): RecordMeta => ({
  topic,
  partition: 0,
  offset: 41,
  seq: 42,
  key,
  receivedAt: AT,
});

export const sampleTrade: Trade = {
  id: 'venue_b:0xabc:7',
  provider: 'venue_b',
  marketId: '0xmarket',
  instrument: '7001',
  outcome: 'Yes',
  ts: AT - 1_000,
  receivedAt: AT,
  arrival: 12,
  side: 'buy',
  price: '0.123456789012345678',
  qty: DIGITS,
  usd: '1.5',
  maker: '0xmaker',
  taker: '0xtaker',
  txHash: '0xabc',
  logIndex: 7,
  tradeId: 'v-1',
  blockNumber: 71_000_001,
  blockHash: '0xblock',
  status: 'pending',
};

const market: Market = {
  provider: 'venue_b',
  marketId: '0xmarket',
  receivedAt: AT,
  title: 'Will “größer” win?',
  description: 'Two lines\nof rules.',
  groupTitle: 'Group',
  groupItemTitle: '64,000',
  slug: 'will-it',
  resolutionSource: 'a source',
  startTime: AT,
  endTime: AT + 1,
  instruments: ['7001', '7002'],
  outcomes: ['Yes', 'No'],
  active: true,
  closed: false,
  takerFeeRate: '0.25',
  fields: '{"a":1}',
  resolved: true,
  name: 'größer (“it”)',
};

const candle: Candle = {
  provider: 'venue_a_perp',
  coin: 'BTC',
  openTime: 1_765_432_080_000,
  receivedAt: AT,
  open: '1',
  high: '3',
  low: '0.5',
  close: '2',
  volume: DIGITS,
  trades: 9,
  source: 'venue_node',
};

const event: UniversalEvent = {
  universalId: 'evt_1',
  receivedAt: AT,
  canonicalName: 'A question',
  kind: 'price_binary',
  underlying: 'BTC',
  threshold: '64000',
  op: 'gte',
  resolutionTime: AT + 5,
  status: 'open',
  firstSeenAt: AT - 5,
  lastSeenAt: AT,
  links: [
    {
      provider: 'venue_a_outcome',
      providerMarketId: '#10',
      confidence: 0.75,
      source: 'structured',
      polarity: 'inverse',
      used: true,
      evidence: '{}',
      yesInstrument: '#10',
      noInstrument: null,
      takerFeeRate: null,
      marketState: 'resolved',
    },
    {
      provider: 'venue_b',
      providerMarketId: '0xmarket',
      confidence: 1,
      source: 'structured',
      polarity: 'same',
      used: false,
      evidence: '{"w":"x"}',
      yesInstrument: '7001',
      noInstrument: '7002',
      takerFeeRate: '0.02',
      marketState: 'open',
    },
  ],
  mergedInto: 'evt_0',
  details: '{"semantics":"at_time"}',
  overAt: AT,
};

const spread: Spread = {
  universalId: 'evt_1',
  receivedAt: AT,
  legs: [
    {
      provider: 'venue_a_outcome',
      marketId: '#10',
      yesBid: null,
      yesAsk: '0.6',
      yesMid: null,
      live: false,
      bookAt: null,
      state: 'resolved',
    },
    {
      provider: 'venue_b',
      marketId: '0xm',
      yesBid: '0.5',
      yesAsk: '0.6',
      yesMid: '0.55',
      live: true,
      bookAt: AT,
      state: 'live',
    },
  ],
  causeProvider: 'venue_b',
  causeMarketId: '0xm',
};

const arbitrage: Arbitrage = {
  universalId: 'evt_1',
  receivedAt: AT,
  kind: 'cross_provider',
  size: '100',
  grossEdge: '0.02',
  netEdge: '-0.000000000000000001',
  quoteAgeMs: 250,
  firstProvider: 'venue_a_outcome',
  firstMarketId: '#10',
  firstPrice: '0.5',
  firstFee: '0.00035',
  secondProvider: 'venue_b',
  secondMarketId: '0xm',
  secondPrice: '0.53',
  secondFee: '0.01',
  causeProvider: null,
  causeMarketId: null,
};

const usage: NodeUsageRecord = {
  node: '0b5f7c1e-9f57-4d0e-a4a1-5a3f6b1c2d3e',
  orgId: 'org_1',
  sku: 'api.request',
  minute: AT - (AT % 60_000),
  minuteUnits: 3,
  day: AT - (AT % 86_400_000),
  dayUnits: 41_000,
};

const audit: AuditRecord = {
  id: 'command-1',
  orgId: 'org_1',
  receivedAt: AT,
  at: AT + 3,
  action: 'me.wallet.create',
  keyId: 'key-1',
  userId: 'user “1”',
  targetId: 'wal_1',
  sandbox: true,
};

const delivery: Delivery = {
  id: 'dlv_1',
  webhookId: 'wh_1',
  orgId: 'org_1',
  eventId: 'evt-1',
  eventType: 'broker.trade.executed',
  receivedAt: AT,
  createdAt: AT + 1,
  test: true,
  body: '{"specversion":"1.0","data":{"a":"größer"}}',
};

const attempt: DeliveryAttempt = {
  deliveryId: 'dlv_1',
  webhookId: 'wh_1',
  orgId: 'org_1',
  attempt: 2,
  receivedAt: AT,
  durationMs: 15_000,
  status: 503,
  error: 'timeout',
  outcome: 'pending',
  nextAttemptAt: AT + 60_000,
};

const disputePhase: DisputePhase = {
  id: 'venue_b:0xabc:9',
  provider: 'venue_b',
  marketId: '0xmarket',
  questionId: '0xquestion',
  phase: 'settle',
  requestTimestamp: 1_765_430_000,
  proposer: '0xproposer',
  disputer: '0xdisputer',
  price: 'ignore',
  ts: AT - 1_000,
  receivedAt: AT,
  blockNumber: 71_000_002,
  blockHash: '0xblock',
  txHash: '0xabc',
  logIndex: 9,
  status: 'confirmed',
};

const resolution: Resolution = {
  id: 'venue_b:0xabc:10',
  provider: 'venue_b',
  marketId: '0xmarket',
  payouts: ['0.5', '0.5'],
  resolvedAt: AT - 1_000,
  decidedAfter: null,
  receivedAt: AT,
  endTime: AT - 3_600_000,
  txHash: '0xabc',
  logIndex: 10,
  blockNumber: 71_000_002,
  blockHash: '0xblock',
  status: 'pending',
};

const anomaly: Anomaly = {
  id: 'an_1',
  kind: 'trade_volume_spike',
  universalId: 'evt_1',
  provider: 'venue_b',
  marketId: '0xmarket',
  ts: AT - (AT % 60_000),
  receivedAt: AT,
  bucketVol: '5200.5',
  value: '5200.5',
  baselineMean: '800.25',
  baselineStddev: '400.125',
  zScore: '10.998125585754451734',
  raw: '{"fills":12}',
};

const arbitrageSignal: ArbitrageSignal = {
  id: 'sig_1',
  universalId: 'evt_1',
  kind: 'negation_pair',
  firstProvider: 'venue_a_outcome',
  firstMarketId: '#10',
  secondProvider: 'venue_b',
  secondMarketId: '0xm',
  receivedAt: AT,
  beganAt: AT - 10_000,
  peakAt: AT - 5_000,
  peakNetEdge: '0.031234567890123456',
  decayedAt: AT - 1_000,
  endedAt: AT,
};

/** By table. */
export const sampleRecords: Readonly<Record<string, { readonly value: unknown; readonly meta: RecordMeta }>> = {
  trades: { value: sampleTrade, meta: metaOf(tradeTopics.venue_b.name, sampleTrade.instrument) },
  markets: { value: market, meta: metaOf(marketTopics.venue_b.name, market.marketId) },
  dispute_phases: { value: disputePhase, meta: metaOf(disputeTopic.name, '0xmarket') },
  resolutions: { value: resolution, meta: metaOf(resolutionTopics.venue_b.name, resolution.marketId) },
  candles: { value: candle, meta: metaOf(candleTopic.name, candle.coin) },
  events: { value: event, meta: metaOf(eventTopic.name, event.universalId) },
  spreads: { value: spread, meta: metaOf(spreadTopic.name, spread.universalId) },
  arbitrage: { value: arbitrage, meta: metaOf(arbitrageTopic.name, arbitrage.universalId) },
  arbitrage_signals: { value: arbitrageSignal, meta: metaOf(arbitrageSignalTopic.name, 'evt_1') },
  anomalies: { value: anomaly, meta: metaOf(anomalyTopic.name, 'evt_1') },
  usage: { value: usage, meta: { ...metaOf(usageTopic.name, usageKey(usage)), seq: 0 } },
  audit_log: { value: audit, meta: metaOf(auditTopic.name, audit.orgId) },
  deliveries: { value: delivery, meta: metaOf(deliveryTopic.name, delivery.webhookId) },
  delivery_attempts: { value: attempt, meta: metaOf(attemptTopic.name, attempt.webhookId) },
};
