/** Builds `data` of the events that this stage produces, with decimals as text and never as numbers. */
import type { Venue } from '#schemas/domain/providers';
import { isoTime } from '#schemas/http/scalars';
import type { SettlementRecord } from '#schemas/http/settlement';
import type { VenueAFill } from '#schemas/topics/account-fills';
import type { Anomaly } from '#schemas/topics/anomalies';
import type { Arbitrage, Spread } from '#schemas/topics/derived';
import type { Trade } from '#schemas/topics/normalised';
import type { DisputePhase } from '#schemas/topics/oracle';
import type {
  AnomalyDetected,
  ArbitrageDetected,
  DisputeUpdated,
  PositionLiquidated,
  SettlementLanded,
  SpreadChanged,
  TradeExecuted,
} from '#schemas/webhooks/event-types';
import type { Party } from './bound-wallets.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Returns null for text that is no address: a venue may state anything as the other side of a fill. */
function addressOrNull(text: string | null): string | null {
  return text !== null && ADDRESS.test(text) ? text : null;
}

export function tradeExecuted(trade: Trade, broker: Venue, wallets: readonly Party[]): TradeExecuted {
  const { id, provider, marketId, instrument, ts, side, price, qty, usd, maker, taker } = trade;
  const { txHash, logIndex, tradeId, status } = trade;
  return {
    broker,
    id,
    provider,
    marketId,
    instrument,
    ts: isoTime(ts),
    side,
    price,
    qty,
    usd,
    maker: addressOrNull(maker),
    taker: addressOrNull(taker),
    txHash,
    logIndex,
    tradeId,
    status,
    wallets: [...wallets],
  };
}

export function positionLiquidated(fill: VenueAFill, wallets: readonly Party[]): PositionLiquidated {
  const { provider, coin, price, qty, liquidationMark, liquidationMethod, time } = fill;
  return {
    broker: 'venue_a',
    provider,
    coin,
    price,
    qty,
    markPrice: liquidationMark,
    method: liquidationMethod,
    at: isoTime(time),
    wallets: [...wallets],
  };
}

export function spreadChanged({ universalId, legs, receivedAt }: Spread): SpreadChanged {
  return {
    universalId,
    legs: legs.map(({ provider, marketId, yesBid, yesAsk, yesMid }) => ({
      provider,
      marketId,
      yesBid,
      yesAsk,
      yesMid,
    })),
    at: isoTime(receivedAt),
  };
}

export function arbitrageDetected(record: Arbitrage): ArbitrageDetected {
  const { universalId, kind, size, grossEdge, netEdge, quoteAgeMs, receivedAt } = record;
  const { firstProvider, firstMarketId, firstPrice, firstFee } = record;
  const { secondProvider, secondMarketId, secondPrice, secondFee } = record;
  return {
    universalId,
    kind,
    size,
    grossEdge,
    netEdge,
    quoteAgeMs,
    first: { provider: firstProvider, marketId: firstMarketId, price: firstPrice, fee: firstFee },
    second: { provider: secondProvider, marketId: secondMarketId, price: secondPrice, fee: secondFee },
    at: isoTime(receivedAt),
  };
}

export function anomalyDetected(anomaly: Anomaly, universalId: string): AnomalyDetected {
  const { id, kind, provider, marketId, ts, bucketVol, baselineMean, baselineStddev, zScore } = anomaly;
  return {
    id,
    kind,
    universalId,
    provider,
    marketId,
    ts: isoTime(ts),
    bucketVol,
    baselineMean,
    baselineStddev,
    zScore,
  };
}

export function settlementLanded(record: SettlementRecord, universalId: string): SettlementLanded {
  return { universalId, ...record };
}

export function disputeUpdated(phase: DisputePhase, universalId: string | null): DisputeUpdated {
  const { id, phase: step, provider, marketId, questionId, requestTimestamp, price, status } = phase;
  const { proposer, disputer, ts, blockNumber, txHash, logIndex } = phase;
  return {
    universalId,
    id,
    phase: step,
    provider,
    marketId,
    questionId,
    requestTimestamp,
    proposer: addressOrNull(proposer),
    disputer: addressOrNull(disputer),
    price,
    ts: isoTime(ts),
    blockNumber,
    txHash,
    logIndex,
    status,
  };
}
