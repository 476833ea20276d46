/** Bars that the venue calculated: answers of `candleSnapshot` (venue page, section 5). */
import type { Emit } from '#infra/stages/stage';
import { INTERVALS, type Interval, VENUE_SOURCE } from '#schemas/domain/candles/sources';
import {
  FieldError,
  type JsonObject,
  readAmount,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '#schemas/domain/json-fields';
import { type Candle, type CandleRange, venueCandleRangeTopics, venueCandleTopics } from '#schemas/topics/candles';
import { providerOf } from './coins.ts';

/** The venue stores so many bars of a coin and an interval, the one in progress included. */
const STORED_BARS = 5_000;

export interface SnapshotRequest {
  readonly coin: string;
  readonly intervalMs: number;
  readonly startTime: number;
  readonly endTime: number;
}

/** The figures of a bar, as text. */
type SnapshotBar = Pick<Candle, 'openTime' | 'open' | 'high' | 'low' | 'close' | 'volume' | 'trades'>;

/** Reads the request of an answer; null for a length of bars that is not served. Throws `FieldError`. */
export function readSnapshotRequest(request: JsonObject): SnapshotRequest | null {
  const { coin, interval, startTime, endTime } = readObject(request.req, 'request.req');
  const name = readText(interval, 'request.req.interval');
  if (!Object.hasOwn(INTERVALS, name)) return null;
  return {
    coin: readText(coin, 'request.req.coin'),
    intervalMs: INTERVALS[name as Interval],
    startTime: readInteger(startTime, 'request.req.startTime'),
    endTime:
      endTime === undefined || endTime === null ? Number.MAX_SAFE_INTEGER : readInteger(endTime, 'request.req.endTime'),
  };
}

/** Reads all bars of an answer before any is emitted. Throws `FieldError`. */
export function readSnapshotBars(body: unknown, intervalMs: number): readonly SnapshotBar[] {
  return readList(body, 'answer').map((value, at) => {
    try {
      const bar = readObject(value, 'bar');
      const openTime = readInteger(bar.t, 't');
      if (openTime % intervalMs !== 0) throw new FieldError('t', `a multiple of ${intervalMs}`, bar.t);
      return {
        openTime,
        open: readAmount(bar.o, 'o'),
        high: readAmount(bar.h, 'h'),
        low: readAmount(bar.l, 'l'),
        close: readAmount(bar.c, 'c'),
        volume: readAmount(bar.v, 'v'),
        trades: readInteger(bar.n, 'n'),
      };
    } catch (error) {
      throw withPath(error, `answer[${at}]`);
    }
  });
}

/** Emits the bars with trades, and the range in which they are complete. */
export function emitSnapshot(
  request: SnapshotRequest,
  bars: readonly SnapshotBar[],
  receivedAt: number,
  emit: Emit,
): void {
  const { coin, intervalMs } = request;
  const provider = providerOf(coin);
  const own = { provider, coin, source: VENUE_SOURCE, intervalMs, receivedAt };
  const places = { openTs: null, openArrival: null, closeTs: null, closeArrival: null };
  for (const bar of bars) {
    if (bar.trades === 0) continue;
    const candle: Candle = { ...own, ...bar, ...places };
    emit(venueCandleTopics.venue_a, coin, candle);
  }
  const complete = completeRange(request, bars, receivedAt);
  if (complete === null) return;
  const range: CandleRange = { ...own, id: `response ${receivedAt} ${complete.from}`, kind: 'complete', ...complete };
  emit(venueCandleRangeTopics.venue_a, coin, range);
}

/**
 * The buckets that were closed when the venue answered, lie within the requested range and are not older than the bars
 * that the venue stores; null for none.
 */
function completeRange(
  { intervalMs, startTime, endTime }: SnapshotRequest,
  bars: readonly SnapshotBar[],
  receivedAt: number,
): { readonly from: number; readonly until: number } | null {
  const floor = (time: number) => Math.floor(time / intervalMs) * intervalMs;
  const forming = floor(receivedAt);
  const oldest = forming - (STORED_BARS - 1) * intervalMs;
  // A full answer may have been cut at its oldest bar.
  const first = bars.length >= STORED_BARS ? Math.min(...bars.map(({ openTime }) => openTime)) : oldest;
  const from = Math.max(floor(startTime + intervalMs - 1), oldest, first);
  const until = Math.min(floor(endTime + 1), forming);
  return from < until ? { from, until } : null;
}
