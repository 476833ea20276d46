/**
 * Derives bars, and where they are complete, from the klines of the external exchange. A bucket is emitted once: what an
 * earlier response stated is not emitted again.
 */
import { type Emit, on, type Stage, type StageRecord } from '#infra/stages/stage';
import { EXCHANGE_SOURCE } from '#schemas/domain/candles/sources';
import { covers } from '#schemas/domain/candles/spans';
import { type Candle, type CandleRange, externalCandleRangeTopic, externalCandleTopic } from '#schemas/topics/candles';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import {
  answeredSpan,
  type Kline,
  type KlineRequest,
  readKlineRequest,
  readKlines,
  tradedKlines,
} from '#schemas/venues/venue-a/klines';
import { parseJson, rejectMalformed } from '../../shared/malformed.ts';
import { joinRange, type StatedRange } from '../stated-ranges.ts';

const MALFORMED = 'malformed_answer';
/** Coins of the main dex. */
const PROVIDER = 'venue_a_perp';

export interface KlinesState {
  /** Where the bars are complete, by coin and length. Few each, since neighbours are joined. */
  readonly ranges: Map<string, readonly StatedRange[]>;
  /** Number of ranges created so far, from which ids are made. */
  created: number;
}

export function createKlinesStage(): Stage<KlinesState> {
  return {
    name: 'klines.venue_a',
    inputs: [on(rawTopic('venue_a', 'klines'), onResponse)],
    outputs: [externalCandleTopic, externalCandleRangeTopic],
    initialState: () => ({ ranges: new Map(), created: 0 }),
  };
}

function onResponse(state: KlinesState, { value }: StageRecord<RawEnvelope>, emit: Emit): void {
  try {
    const request = readKlineRequest(value.request);
    if (request) addKlines(state, request, value, emit);
  } catch (error) {
    rejectMalformed(error, MALFORMED, emit);
  }
}

function addKlines(
  state: KlinesState,
  request: KlineRequest,
  { payload, receivedAt }: Pick<RawEnvelope, 'payload' | 'receivedAt'>,
  emit: Emit,
): void {
  const { coin, intervalMs } = request;
  const klines = readKlines(parseJson(payload.toString(), MALFORMED), intervalMs);
  const span = answeredSpan(request, klines, receivedAt);
  if (!span) return;
  const key = `${coin} ${intervalMs}`;
  const known = state.ranges.get(key) ?? [];
  const own = { provider: PROVIDER, coin, source: EXCHANGE_SOURCE, intervalMs, receivedAt };
  for (const kline of tradedKlines(klines, span))
    if (!covers(known, kline.openTime, kline.openTime + intervalMs))
      emit(externalCandleTopic, coin, toCandle(kline, coin, intervalMs, receivedAt));
  const joined = joinRange(known, span, `loaded ${state.created}`);
  if (!joined) return;
  if (joined.isNew) state.created += 1;
  state.ranges.set(key, joined.ranges);
  const emitRange = ({ id, from, until }: StatedRange, kind: CandleRange['kind']) =>
    emit(externalCandleRangeTopic, coin, { ...own, id, kind, from, until });
  // First, so that at no time less is complete than before.
  emitRange(joined.range, 'complete');
  for (const absorbed of joined.absorbed) emitRange(absorbed, 'none');
}

/** Written field by field, since a response has many rows. */
function toCandle(kline: Kline, coin: string, intervalMs: number, receivedAt: number): Candle {
  return {
    provider: PROVIDER,
    coin,
    openTime: kline.openTime,
    receivedAt,
    open: kline.open,
    high: kline.high,
    low: kline.low,
    close: kline.close,
    volume: kline.volume,
    trades: kline.trades,
    source: EXCHANGE_SOURCE,
    intervalMs,
    openTs: null,
    openArrival: null,
    closeTs: null,
    closeArrival: null,
  };
}
