/**
 * Reads candles, and fetches what they lack from the venue (contract, "Candles"): the buckets that are complete in no
 * source and that the venue still stores, and those with a gap in our trades that only another market's bars fill. A gap
 * may wait for its repair behind many others, and the exchange comes after the venue.
 */
import { covers, joinNearest, type Span, subtract, union } from '#schemas/domain/candles/spans';
import { ApiError } from '#schemas/errors';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { candleRangeTopic } from '#schemas/topics/candles';
import { oldestStored } from '#schemas/venues/venue-a/candle-snapshot';
import type { CandleList } from '../queries/candle-list.ts';
import { type Buckets, bucketsOf, type CandleWindow } from '../queries/candle-window.ts';
import { type CandlesOfCoin, readCandles } from '../queries/read-candles.ts';
import type { FetchedBars } from '../queries/select-stored-bars.ts';
import { unprocessedTrades } from '../queries/unprocessed-trades.ts';
import type { Dependencies } from '../routes/route.ts';
import { fetchBars, type ListedInstrument } from '../upstream/read-bars.ts';
import { tablesUntil } from '../views/freshness.ts';

/** Requests to the venue for one round of missing buckets. Beyond it, those that are closest share a request. */
const REQUESTS_MAX = 4;

export interface ServedCandles {
  readonly candles: CandleList;
  /**
   * When the venue's bar in progress was received, unix ms; null if there is none. While nobody knows yet whether data is
   * live, the venue's bars are missing, and it is 0: the response is too old for a cache.
   */
  readonly formingAt: number | null;
  /**
   * Where the newest candle ends with the venue's or the exchange's bar, the time of the response with that bar.
   * Otherwise the time up to which the tables hold the bars from recorded trades. Unix ms; null if unknown.
   */
  readonly fetchedAt: number | null;
}

/**
 * Rejects with the `ApiError` of a request to the venue, unless only the bucket in progress is missing or every bucket has
 * a bar of another market.
 */
export async function readCompleteCandles(
  { store, views: { freshness }, ingest }: Pick<Dependencies, 'store' | 'views' | 'ingest'>,
  coin: ListedInstrument,
  window: CandleWindow,
): Promise<ServedCandles> {
  const tablesAt = await tablesUntil(freshness, candleRangeTopic, candleBarsTable.fromTopics, null);
  const now = freshness.now();
  const isLive = freshness.isLive();
  const unprocessed = isLive ? unprocessedTrades([coin], tablesAt, now) : [];
  let fetched: FetchedBars = { bars: [], ranges: unprocessed };
  let read = await readCandles(store, coin, window, now, fetched);
  if (now === null) return { ...served(read, tablesAt), formingAt: 0 };
  // The tables have all bars that a recording or the data set of the sandbox contains.
  if (!isLive) return { ...served(read, tablesAt), formingAt: null };
  const buckets = bucketsOf(window);
  const { stepMs } = buckets;
  const forming = Math.floor(now / stepMs) * stepMs;
  let noRoom: ApiError | null = null;
  const fetch = async (span: Span): Promise<FetchedBars> => {
    const isOptional = span.from === forming || covers(read.complete, span.from, span.until);
    // Perhaps ingest has stopped, and nobody answers.
    if (isOptional && unprocessed.length > 0) return { bars: [], ranges: [] };
    try {
      // One request has waited for room as long as a read may wait.
      if (noRoom) throw noRoom;
      return await fetchBars(ingest, coin, window.interval, span, now);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'upstream_rate_limited') noRoom = error;
      if (isOptional) return { bars: [], ranges: [] };
      throw error;
    }
  };
  let requested: readonly Span[] = [];
  // Nearly all markets have a trade in most buckets, so only few windows need more than `limit` of them.
  for (const reach of [buckets.limit, Number.POSITIVE_INFINITY]) {
    const span = withReach(reachable(spanOf(buckets, read.candles), stepMs, now), reach * stepMs, buckets);
    const missing = subtract(subtract([span], subtract(read.complete, read.replaced)), requested);
    if (missing.length === 0) continue;
    const requests = joinNearest(missing, REQUESTS_MAX);
    requested = union([...requested, ...requests]);
    fetched = joined([fetched, ...(await Promise.all(requests.map(fetch)))]);
    read = await readCandles(store, coin, window, now, fetched);
  }
  return { ...served(read, tablesAt), formingAt: formingAt(read, forming) };
}

/** The buckets of a response: of the complete window if it has fewer candles than the limit. */
function spanOf({ from, until, stepMs, limit, oldestFirst }: Buckets, candles: CandleList): Span {
  if (candles.length < limit) return { from, until };
  return oldestFirst ? { from, until: candles.lastTs! + stepMs } : { from: candles.firstTs!, until };
}

/** The buckets of a span that have begun, and that the venue stores. */
function reachable({ from, until }: Span, stepMs: number, now: number): Span {
  return { from: Math.max(from, oldestStored(stepMs, now)), until: Math.min(until, Math.ceil(now / stepMs) * stepMs) };
}

/** The part of a span that is nearest to where the limit counts. */
function withReach({ from, until }: Span, lengthMs: number, { oldestFirst }: Buckets): Span {
  if (oldestFirst) return { from, until: Math.min(until, from + lengthMs) };
  return { from: Math.max(from, until - lengthMs), until };
}

function joined(parts: readonly FetchedBars[]): FetchedBars {
  return { bars: parts.flatMap(({ bars }) => bars), ranges: parts.flatMap(({ ranges }) => ranges) };
}

function served({ candles, select }: CandlesOfCoin, tablesAt: number | null): Omit<ServedCandles, 'formingAt'> {
  const { lastTs } = candles;
  return { candles, fetchedAt: (lastTs === undefined ? undefined : select(lastTs).receivedAt) ?? tablesAt };
}

function formingAt({ candles, select }: CandlesOfCoin, forming: number): number | null {
  return candles.lastTs === forming ? (select(forming).formingAt ?? null) : null;
}
