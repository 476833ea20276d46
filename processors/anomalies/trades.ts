/**
 * Counts shares traded and fills of wallets by the minute of the venue's own time. A trade counts once, as soon as its
 * market is known, whether or not its block is confirmed, and is subtracted when it is reverted.
 */
import { type Decimal, UNIT } from '#schemas/domain/decimal';
import { marketKey } from '#schemas/domain/providers';
import type { Trade } from '#schemas/topics/normalised';
import { dropOldest } from '../shared/drop-oldest.ts';
import { type EpisodeContext, updateEpisode } from './emit-anomaly.ts';
import { amend, append, type Series, windowOf } from './series.ts';
import {
  type AnomaliesState,
  type MarketState,
  MINUTE_MS,
  PENDING_TRADES_MAX,
  type TradeBucket,
  WINDOW_MINUTES,
} from './state.ts';
import { busiestOf, count, createBucket, volumeOf } from './trade-bucket.ts';

/** Applies a trade record. @param qty its parsed quantity. */
export function applyTrade(state: AnomaliesState, trade: Trade, qty: Decimal): void {
  if (trade.status === 'reverted') {
    revertTrade(state, trade, qty);
    return;
  }
  if (trade.status === 'confirmed') confirm(state, trade.id);
  if (trade.marketId === null) return;
  const market = marketKey(trade.provider, trade.marketId);
  if (!state.markets.has(market)) return;
  // A venue whose clock is ahead does not open future minutes.
  const minute = Math.floor(Math.min(trade.ts, trade.receivedAt) / MINUTE_MS);
  if (minute < state.tradesFrom) return;
  let open = state.minutes.get(minute);
  if (!open) {
    open = { ids: new Set(), buckets: new Map() };
    state.minutes.set(minute, open);
  }
  if (open.ids.has(trade.id) || state.pending.has(trade.id)) return;
  open.ids.add(trade.id);
  let bucket = open.buckets.get(market);
  if (!bucket) {
    bucket = createBucket();
    open.buckets.set(market, bucket);
  }
  count(bucket, trade, qty, 1);
  if (trade.status !== 'pending') return;
  bucket.pending += 1;
  state.pending.set(trade.id, { market, minute });
  dropOldest(state.pending, PENDING_TRADES_MAX, { drop: (oldest) => confirm(state, oldest) });
}

/** Marks a trade as final: it will not be reverted any more. */
function confirm(state: AnomaliesState, id: Trade['id']): void {
  const place = state.pending.get(id);
  if (!place) return;
  state.pending.delete(id);
  const minute = state.minutes.get(place.minute);
  const bucket = minute?.buckets.get(place.market);
  if (!bucket) return;
  bucket.pending -= 1;
  if (bucket.pending === 0 && place.minute < state.tradesFrom) dropBucket(state, place.minute, place.market);
}

function revertTrade(state: AnomaliesState, trade: Trade, qty: Decimal): void {
  const place = state.pending.get(trade.id);
  const minute = place && state.minutes.get(place.minute);
  const bucket = minute?.buckets.get(place?.market ?? '');
  if (!place || !minute || !bucket) {
    state.pending.delete(trade.id);
    return;
  }
  const before = { volume: volumeOf(bucket), fills: busiestOf(bucket)?.fills ?? null };
  count(bucket, trade, qty, -1);
  minute.ids.delete(trade.id);
  const market = state.markets.get(place.market);
  if (market && place.minute < state.tradesFrom) {
    change(market.volumes, place.minute, before.volume, volumeOf(bucket));
    change(market.fills, place.minute, before.fills, busiestOf(bucket)?.fills ?? null);
  }
  confirm(state, trade.id);
}

/** Updates a bucket that was evaluated before. */
function change(series: Series | null, minute: number, before: Decimal | null, after: Decimal | null): void {
  if (series && before !== null && before !== after) amend(series, { key: minute, value: before }, after);
}

/** Evaluates the minutes before `next`, the oldest first, and closes them for trades. */
export function closeTrades(state: AnomaliesState, next: number, context: EpisodeContext): void {
  const due = [...state.minutes.keys()].filter((minute) => minute >= state.tradesFrom && minute < next);
  state.tradesFrom = next;
  for (const minute of due.sort((a, b) => a - b)) closeMinute(state, minute, context);
  for (const minute of state.minutes.keys()) if (minute < next - WINDOW_MINUTES) state.minutes.delete(minute);
}

function closeMinute(state: AnomaliesState, minute: number, context: EpisodeContext): void {
  const { ids, buckets } = state.minutes.get(minute)!;
  ids.clear();
  for (const [key, bucket] of buckets) {
    const market = state.markets.get(key);
    if (market) closeBucket(market, minute, bucket, context);
    if (bucket.pending === 0) dropBucket(state, minute, key);
  }
}

function closeBucket(market: MarketState, minute: number, bucket: TradeBucket, context: EpisodeContext): void {
  const ts = minute * MINUTE_MS;
  const volume = volumeOf(bucket);
  const busiest = busiestOf(bucket);
  const from = minute - WINDOW_MINUTES;
  if (volume !== null) {
    const baseline = windowOf(market.volumes, from);
    market.volumes = baseline;
    const details = () => ({ trades: bucket.trades });
    updateEpisode(market, { kind: 'trade_volume_spike', ts, value: volume, baseline, details }, context);
    append(baseline, minute, volume);
  }
  if (busiest !== null) {
    const baseline = windowOf(market.fills, from);
    market.fills = baseline;
    const details = () => ({ wallet: busiest.wallet, fills: Number(busiest.fills / UNIT) });
    updateEpisode(market, { kind: 'wallet_burst', ts, value: busiest.fills, baseline, details }, context);
    append(baseline, minute, busiest.fills);
  }
}

function dropBucket(state: AnomaliesState, minute: number, market: string): void {
  const open = state.minutes.get(minute)!;
  open.buckets.delete(market);
  if (open.buckets.size === 0) state.minutes.delete(minute);
}
