/** Since when every trade of venue_a has been recorded: then an account without a missing trade has all of its fills. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { TRADE_RECORDING_KEY, tradeRecordingTopic } from '#schemas/topics/account-fills';
import { type CandleRange, isTradeGap } from '#schemas/topics/candles';
import type { FeedEvent } from '#schemas/topics/raw';

/** All trades of the listed markets are subscribed within this time after the choice of subscriptions. */
const SUBSCRIBED_WITHIN_MS = 60_000;

export interface RecordedTrades {
  /** Coins whose trades may be missed now. */
  readonly gaps: Set<string>;
  /** Since when nothing was missed but in these gaps, unix ms; null while trades of some coins are not subscribed. */
  since: number | null;
  /** What was published; undefined before the first record. */
  published: number | null | undefined;
}

export function createRecordedTrades(): RecordedTrades {
  return { gaps: new Set(), since: null, published: undefined };
}

interface WithRecordedTrades {
  readonly recordedTrades: RecordedTrades;
}

/** Handles the start and the end of a gap. */
export function onTradeGap(
  { recordedTrades }: WithRecordedTrades,
  { value: range, receivedAt }: StageRecord<CandleRange>,
  emit: Emit,
): void {
  const { coin, kind, until } = range;
  if (!isTradeGap(range) && kind !== 'none') return;
  const { gaps, since } = recordedTrades;
  if (until === null) gaps.add(coin);
  else gaps.delete(coin);
  // Its trades are recorded again from now on.
  if (kind === 'gap' && until !== null && since !== null) recordedTrades.since = Math.max(since, receivedAt);
  publish(recordedTrades, receivedAt, emit);
}

/** Handles the choice of subscriptions, which ingest publishes at each start and when it changes. */
export function onLeftOut(
  { recordedTrades }: WithRecordedTrades,
  { value: { kind, coins }, receivedAt }: StageRecord<FeedEvent>,
  emit: Emit,
): void {
  if (kind !== 'trades_left_out') return;
  recordedTrades.since = coins.length === 0 ? receivedAt + SUBSCRIBED_WITHIN_MS : null;
  publish(recordedTrades, receivedAt, emit);
}

function publish(recordedTrades: RecordedTrades, receivedAt: number, emit: Emit): void {
  const since = recordedTrades.gaps.size === 0 ? recordedTrades.since : null;
  if (since === recordedTrades.published) return;
  recordedTrades.published = since;
  emit(tradeRecordingTopic, TRADE_RECORDING_KEY, { since, receivedAt });
}
