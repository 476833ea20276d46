/** Compares a bucket with its baseline and emits an anomaly once per market, kind and episode. */
import { hash } from 'node:crypto';
import type { Emit } from '#infra/stages/stage';
import { type Decimal, formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { type AnomalyKind, anomalyTopic } from '#schemas/topics/anomalies';
import { type Distance, distanceOf, type Moments, reaches, scoreOf } from './score.ts';
import type { MarketState } from './state.ts';

/** Least deviations by kind: 10 shares, 0.01, 1 fill, 15 minutes (contract, Markets). */
const FLOORS: Readonly<Record<AnomalyKind, Decimal>> = {
  trade_volume_spike: parseDecimal('10'),
  spread_widening: parseDecimal('0.01'),
  wallet_burst: parseDecimal('1'),
  settlement_delay: parseDecimal('900'),
};
/** An episode ends with a score below this, or below the setting where that is smaller. */
const EPISODE_ENDS_BELOW = parseDecimal('3');
/** 96 bits, like the ids of events. */
const ID_DIGITS = 24;

/** A measured value to evaluate. */
export interface Measurement {
  readonly kind: AnomalyKind;
  /** Start of the bucket, or the time of the settlement; unix ms. */
  readonly ts: number;
  readonly value: Decimal;
  readonly baseline: Moments;
  /** Further measured values; called only if an anomaly is emitted. */
  readonly details: () => Readonly<Record<string, unknown>>;
}

/** Values that all episodes updated for one record share. */
export interface EpisodeContext {
  /** Least score of an anomaly, above zero. */
  readonly bound: Decimal;
  readonly receivedAt: number;
  readonly emit: Emit;
}

/** Starts or ends an episode of the market and emits an anomaly if one starts. Needs a bucket with a score. */
export function updateEpisode(market: MarketState, measurement: Measurement, context: EpisodeContext): void {
  const { kind, value, baseline } = measurement;
  const distance = distanceOf(baseline, value, FLOORS[kind]);
  if (!distance) return;
  const { bound } = context;
  if (market.openEpisodes.includes(kind)) {
    if (reaches(distance, EPISODE_ENDS_BELOW) || reaches(distance, bound)) return;
    market.openEpisodes = market.openEpisodes.filter((other) => other !== kind);
  } else if (reaches(distance, bound)) {
    market.openEpisodes.push(kind);
    emitAnomaly(market, measurement, distance, context);
  }
}

function emitAnomaly(
  market: MarketState,
  measurement: Measurement,
  distance: Distance,
  { receivedAt, emit }: EpisodeContext,
): void {
  const { universalId, provider, marketId } = market;
  const { kind, ts, value, baseline, details } = measurement;
  const { mean, deviation, z } = scoreOf(distance);
  emit(anomalyTopic, universalId, {
    id: `an_${hash('sha256', `${kind}|${provider}|${marketId}|${ts}`, 'hex').slice(0, ID_DIGITS)}`,
    kind,
    universalId,
    provider,
    marketId,
    ts,
    receivedAt,
    bucketVol: kind === 'trade_volume_spike' ? formatDecimal(value) : null,
    value: formatDecimal(value),
    baselineMean: formatDecimal(mean),
    baselineStddev: formatDecimal(deviation),
    zScore: formatDecimal(z),
    raw: JSON.stringify({ baselineCount: baseline.count, ...details() }),
  });
}
