/** Bars that the venue calculated: responses to `candleSnapshot` (venue page, section 5). */
import { INTERVALS, type Interval, VENUE_SOURCE } from '../../domain/candles/sources.ts';
import type { Span } from '../../domain/candles/spans.ts';
import {
  FieldError,
  type JsonObject,
  readAmount,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '../../domain/json-fields.ts';
import type { Candle, CandleRange } from '../../topics/candles.ts';

/** The venue stores so many bars of a coin and an interval, the one in progress included. */
export const STORED_BARS = 5_000;

export interface SnapshotRequest {
  readonly coin: string;
  readonly intervalMs: number;
  /** Unix ms, inclusive. */
  readonly startTime: number;
  readonly endTime: number;
}

/** The bars of a response with trades, and the range in which they are complete; null for none. */
export interface Snapshot {
  readonly bars: readonly Candle[];
  readonly range: (CandleRange & Span) | null;
  /** Unix ms: a bar that opens at this time or later was in progress when it was requested. */
  readonly closedUntil: number;
}

/** The figures of a bar, as text. */
type SnapshotBar = Pick<Candle, 'openTime' | 'open' | 'high' | 'low' | 'close' | 'volume' | 'trades'>;

/**
 * The body of the request for the buckets that start in `[from, until)`. It reaches to the end of those that are closed,
 * and only to the start of the one in progress: a response to it states nothing about a bucket that was not closed when
 * the request was sent, however late it arrives, since the venue may have calculated it before the close.
 * @param now unix ms, not later than the request is sent.
 */
export function snapshotRequest(coin: string, interval: Interval, from: number, until: number, now: number) {
  const forming = Math.floor(now / INTERVALS[interval]) * INTERVALS[interval];
  const endTime = Math.min(until - 1, Math.max(from, forming));
  return { type: 'candleSnapshot', req: { coin, interval, startTime: from, endTime } } as const;
}

/** Reads the request of a response; null for a length of bars that is not served. Throws `FieldError`. */
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

/**
 * Reads a response. The normaliser stores the result, and a route serves it at once. Throws `FieldError` if any bar is
 * malformed.
 * @param market the provider of the coin, and whether its market is listed. The venue returns an empty list for a market
 *   that it no longer has, whatever was traded: then the response states nothing.
 */
export function readSnapshot(
  { provider, isListed }: { readonly provider: string; readonly isListed: boolean },
  request: SnapshotRequest,
  body: unknown,
  receivedAt: number,
): Snapshot {
  const { coin, intervalMs } = request;
  const own = { provider, coin, source: VENUE_SOURCE, intervalMs, receivedAt };
  const places = { openTs: null, openArrival: null, closeTs: null, closeArrival: null };
  const bars = readBars(body, intervalMs);
  const closedUntil = closedUntilOf(request, receivedAt);
  const statesNothing = bars.length === 0 && !isListed;
  const complete = statesNothing ? null : completeRange(request, bars, receivedAt, closedUntil);
  return {
    closedUntil,
    bars: bars.filter(({ trades }) => trades > 0).map((bar) => ({ ...own, ...bar, ...places })),
    range: complete && { ...own, id: `response ${receivedAt} ${complete.from}`, kind: 'complete', ...complete },
  };
}

function readBars(body: unknown, intervalMs: number): readonly SnapshotBar[] {
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

/** End of the buckets that were closed when they were requested (`snapshotRequest`), also of those before the request's range. */
function closedUntilOf({ intervalMs, endTime }: SnapshotRequest, receivedAt: number): number {
  return Math.floor(Math.min(endTime + 1, receivedAt) / intervalMs) * intervalMs;
}

/**
 * The buckets that were closed when they were requested, lie within the requested range and are not older than the bars
 * that the venue stores; null for none.
 */
function completeRange(
  { intervalMs, startTime }: SnapshotRequest,
  bars: readonly SnapshotBar[],
  receivedAt: number,
  until: number,
): Span | null {
  const oldest = oldestStored(intervalMs, receivedAt);
  // A full answer may have been cut at its oldest bar.
  const first = bars.length >= STORED_BARS ? Math.min(...bars.map(({ openTime }) => openTime)) : oldest;
  const from = Math.max(Math.ceil(startTime / intervalMs) * intervalMs, oldest, first);
  return from < until ? { from, until } : null;
}

/** Start of the oldest bar that the venue stores at a time, unix ms. */
export function oldestStored(intervalMs: number, now: number): number {
  return Math.floor(now / intervalMs) * intervalMs - (STORED_BARS - 1) * intervalMs;
}
