/** Evaluates how late markets are resolved: each delay against those of its provider in the 30 days before it. */
import { decimalFromUnits, formatDecimal } from '#schemas/domain/decimal';
import { marketKey } from '#schemas/domain/providers';
import { settlementDelayMs } from '#schemas/domain/settlement-delay';
import type { Resolution } from '#schemas/topics/oracle';
import { addWaiting } from '../shared/waiting.ts';
import { type EpisodeContext, updateEpisode } from './emit-anomaly.ts';
import { amend, append, windowOf } from './series.ts';
import type { AnomaliesState, MarketState } from './state.ts';

const BASELINE_MS = 30 * 86_400_000;
const MS_DECIMALS = 3;

/**
 * Evaluates the delay of a resolution. A market has one delay: a repeated resolution counts once, and a reverted one is
 * removed from the baseline. A resolution with an unknown delay is ignored, and one of a market without an event waits.
 */
export function evaluateDelay(state: AnomaliesState, resolution: Resolution, context: EpisodeContext): void {
  const { id, provider, marketId, status, resolvedAt, endTime } = resolution;
  const delayMs = settlementDelayMs(resolution);
  if (delayMs === null && status !== 'reverted') return;
  const key = marketKey(provider, marketId);
  const market = state.markets.get(key);
  if (!market) {
    addWaiting(state.waitingResolutions, key, resolution);
    return;
  }
  if (status === 'reverted') {
    if (market.delay?.resolution === id) removeDelay(state, market);
    return;
  }
  if (delayMs === null || market.delay?.resolution === id) return;
  removeDelay(state, market);
  const { receivedAt } = context;
  const value = decimalFromUnits(BigInt(delayMs), MS_DECIMALS);
  const baseline = windowOf(state.delays.get(provider), receivedAt - BASELINE_MS);
  state.delays.set(provider, baseline);
  const details = () => ({ resolution: id, endTime: new Date(endTime!).toISOString(), delaySec: formatDecimal(value) });
  updateEpisode(market, { kind: 'settlement_delay', ts: resolvedAt, value, baseline, details }, context);
  append(baseline, receivedAt, value);
  market.delay = { resolution: id, receivedAt, value };
}

function removeDelay(state: AnomaliesState, market: MarketState): void {
  const { delay, provider } = market;
  if (!delay) return;
  amend(state.delays.get(provider)!, { key: delay.receivedAt, value: delay.value }, null);
  market.delay = null;
}
