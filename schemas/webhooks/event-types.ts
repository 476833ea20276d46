/**
 * Event types that webhooks can subscribe to (specification, Webhooks; contract, Webhooks): stable ids with a version,
 * their filters and the shape of `data`. Money and sizes are exact decimal text or null, never floats; raw payloads of a
 * venue are never part of it.
 */
import { z } from 'zod';
import { VENUES } from '../domain/providers.ts';
import { END_TIME, RESOLVED_AT, RESOLVED_AT_IS_BOUND, USED } from '../http/settlement.ts';
import { ANOMALY_KINDS } from '../topics/anomalies.ts';
import { SAMPLES } from './samples.ts';

const decimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .describe('Exact decimal.');
const time = z.iso.datetime().describe('ISO-8601 with milliseconds.');
const address = z.string().regex(/^0x[0-9a-f]{40}$/);
const universalId = z.string().describe('`evt_<id>`.');
const provider = z.string().describe('Fine-grained provider, e.g. `venue_a_perp`.');
const wallets = z
  .array(z.strictObject({ walletId: z.string(), address, role: z.enum(['maker', 'taker']) }))
  .min(1)
  .describe('The bound wallets that it concerns.');
const broker = z.enum(VENUES).describe('The venue.');

const brokerFilters = z
  .strictObject({ brokers: z.array(z.enum(VENUES)).min(1).max(VENUES.length).optional() })
  .describe('`brokers`: venues; left out means all.');
const eventFilters = z
  .strictObject({
    universalIds: z
      .array(z.string().regex(/^evt_\w{1,64}$/))
      .min(1)
      .max(1_000)
      .optional(),
  })
  .describe('`universalIds`: universal events; left out means all.');

export interface EventType {
  readonly type: string;
  readonly version: 1;
  readonly description: string;
  readonly filters: z.ZodType;
  readonly data: z.ZodType;
  /** The `data` of a test delivery. */
  readonly sample: unknown;
  /** True if the service produces events of this type. */
  readonly delivering: boolean;
}

const leg = z.strictObject({
  provider,
  marketId: z.string(),
  yesBid: decimal.nullable(),
  yesAsk: decimal.nullable(),
  yesMid: decimal.nullable(),
});

/** Fields that the trade record of REST and WebSocket also has have the same names and meanings. */
const tradeData = z.strictObject({
  broker,
  id: z.string().describe('The id of the trade, as in REST and WebSocket; its reversal has the same id.'),
  provider,
  marketId: z.string().nullable(),
  instrument: z.string().describe('Coin or token.'),
  ts: time,
  side: z.enum(['buy', 'sell']).describe("The taker's side."),
  price: decimal,
  qty: decimal,
  usd: decimal.nullable(),
  maker: address.nullable(),
  taker: address.nullable(),
  txHash: z.string().nullable(),
  logIndex: z.int().nullable(),
  tradeId: z.string().nullable().describe("The venue's own id of the trade; null where it has none, as on chain."),
  status: z.enum(['pending', 'confirmed', 'reverted']),
  wallets,
});
export type TradeExecuted = z.infer<typeof tradeData>;

const spreadData = z.strictObject({ universalId, legs: z.array(leg), at: time });
export type SpreadChanged = z.infer<typeof spreadData>;

const side = z.strictObject({ provider, marketId: z.string(), price: decimal, fee: decimal });
const arbitrageData = z.strictObject({
  universalId,
  kind: z.enum(['cross_provider', 'negation_pair']),
  size: decimal.describe('Shares.'),
  grossEdge: decimal.describe('USD per share.'),
  netEdge: decimal.describe('USD per share, after fees.'),
  quoteAgeMs: z.int(),
  first: side.describe('Where to buy; for `negation_pair` where YES is bought.'),
  second: side.describe('Where to sell; for `negation_pair` where NO is bought.'),
  at: time,
});
export type ArbitrageDetected = z.infer<typeof arbitrageData>;

const anomalyData = z.strictObject({
  id: z.string(),
  kind: z.enum(ANOMALY_KINDS),
  universalId,
  provider,
  marketId: z.string(),
  ts: time,
  bucketVol: decimal.nullable(),
  baselineMean: decimal,
  baselineStddev: decimal,
  zScore: decimal,
});
export type AnomalyDetected = z.infer<typeof anomalyData>;

const settlementData = z.strictObject({
  universalId,
  provider,
  marketId: z.string(),
  used: z.boolean().describe(USED),
  outcome: z.enum(['yes', 'no', 'split']),
  payouts: z.array(decimal),
  resolvedAt: time.describe(RESOLVED_AT),
  resolvedAtIsBound: z.boolean().describe(RESOLVED_AT_IS_BOUND),
  endTime: time.nullable().describe(END_TIME),
  settlementDelaySec: z.int().nullable(),
  txHash: z.string().nullable(),
  logIndex: z.int().nullable(),
  blockNumber: z.int().nullable(),
  status: z.string(),
});
export type SettlementLanded = z.infer<typeof settlementData>;

const disputeData = z.strictObject({
  universalId: universalId.nullable(),
  id: z.string().describe('The same in every update of the phase.'),
  phase: z.enum(['propose', 'dispute', 'settle']),
  provider,
  marketId: z.string().nullable(),
  questionId: z.string(),
  requestTimestamp: z.int().describe('Unix seconds: which request of the question; a reset makes a new one.'),
  proposer: address.nullable(),
  disputer: address.nullable(),
  price: z.string().nullable().describe('"1", "0", "0.5", "ignore" or null.'),
  ts: time,
  blockNumber: z.int(),
  txHash: z.string(),
  logIndex: z.int(),
  status: z.string(),
});
export type DisputeUpdated = z.infer<typeof disputeData>;

const liquidationData = z.strictObject({
  broker,
  provider,
  coin: z.string(),
  price: decimal.nullable(),
  qty: decimal.nullable(),
  markPrice: decimal.nullable(),
  method: z.string().nullable(),
  at: time,
  wallets,
});
export type PositionLiquidated = z.infer<typeof liquidationData>;

/** Every event type, in the order of the catalog. */
export const EVENT_TYPES = [
  {
    type: 'broker.trade.executed',
    version: 1,
    description: 'A fill of a bound wallet, as maker or taker, or the reversal of one.',
    filters: brokerFilters,
    data: tradeData,
    sample: SAMPLES['broker.trade.executed'],
    delivering: true,
  },
  {
    type: 'broker.funding.updated',
    version: 1,
    description: 'A funding payment of a bound wallet.',
    filters: brokerFilters,
    data: z.strictObject({
      broker,
      provider,
      coin: z.string(),
      usd: decimal,
      rate: decimal.nullable(),
      size: decimal.nullable(),
      at: time,
      wallets,
    }),
    sample: SAMPLES['broker.funding.updated'],
    delivering: false,
  },
  {
    type: 'broker.position.liquidated',
    version: 1,
    description: 'A forced liquidation of a bound wallet.',
    filters: brokerFilters,
    data: liquidationData,
    sample: SAMPLES['broker.position.liquidated'],
    delivering: true,
  },
  {
    type: 'event.spread.changed',
    version: 1,
    description: "A leg's yesMid moved by at least 0.005.",
    filters: eventFilters,
    data: spreadData,
    sample: SAMPLES['event.spread.changed'],
    delivering: true,
  },
  {
    type: 'event.arbitrage.detected',
    version: 1,
    description: 'An arbitrage with a positive net edge, at each evaluation that finds one.',
    filters: eventFilters,
    data: arbitrageData,
    sample: SAMPLES['event.arbitrage.detected'],
    delivering: true,
  },
  {
    type: 'event.anomaly.detected',
    version: 1,
    description: 'A detection by one of the four detectors.',
    filters: eventFilters,
    data: anomalyData,
    sample: SAMPLES['event.anomaly.detected'],
    delivering: true,
  },
  {
    type: 'event.settlement.landed',
    version: 1,
    description:
      'The first resolution of an event on a provider, for a market whose link is used, and its reversal. A resolution at an unknown time is sent only within a day of the end of its market.',
    filters: eventFilters,
    data: settlementData,
    sample: SAMPLES['event.settlement.landed'],
    delivering: true,
  },
  {
    type: 'event.dispute.updated',
    version: 1,
    description: 'A proposal, dispute or settlement of the oracle.',
    filters: eventFilters,
    data: disputeData,
    sample: SAMPLES['event.dispute.updated'],
    delivering: true,
  },
] as const satisfies readonly EventType[];

export type EventTypeId = (typeof EVENT_TYPES)[number]['type'];

const BY_NAME: ReadonlyMap<string, EventType> = new Map(
  EVENT_TYPES.map((entry) => [`${entry.type} ${entry.version}`, entry]),
);

/** The event type of an id and version, or undefined. */
export function findEventType(type: string, version: number): EventType | undefined {
  return BY_NAME.get(`${type} ${version}`);
}
