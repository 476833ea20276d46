/** Loads the klines that are missing, the newest first. What was published is never requested again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { INTERVALS } from '#schemas/domain/candles/sources';
import { asObject, FieldError, parseJsonOrNull } from '#schemas/domain/json-fields';
import {
  answeredSpan,
  type KlineCoin,
  type KlineInterval,
  klineRequest,
  LISTING_REQUEST,
  readKlineRequest,
  readKlines,
  readListing,
  tradedKlines,
} from '#schemas/venues/venue-a/klines';
import { UpstreamError } from '../../../feed/errors.ts';
import { reconnectDelayMs } from '../../../feed/reconnect.ts';
import type { Publisher } from '../../../publisher/publisher.ts';
import { FAILURES_MAX, KLINE_WEIGHTS, LISTING_WEIGHT, REFUSED_STATUSES, UNKNOWN_SYMBOL } from './declaration.ts';
import { type ExchangeClient, SOURCE } from './exchange-client.ts';
import type { LoadedKlines } from './loaded-klines.ts';
import { type PlannedRequest, planRequests } from './plan-requests.ts';

export interface LoadOptions {
  readonly coins: readonly KlineCoin[];
  readonly intervals: readonly KlineInterval[];
  readonly days: number;
  readonly client: ExchangeClient;
  readonly loaded: LoadedKlines;
  readonly publisher: Pick<Publisher, 'receive' | 'whenReady' | 'flush'>;
  readonly signal: AbortSignal;
  /** Time between two requests, ms; 0 by default. */
  readonly pauseMs?: number;
  /** Called with the number of requests for klines that are done, and of all. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly now?: () => number;
}

export interface LoadResult {
  /** Bars that were stored. */
  readonly bars: number;
  /** Coins that the exchange does not know. */
  readonly unknownCoins: readonly KlineCoin[];
}

/**
 * Rejects with an `UpstreamError` if the exchange refuses requests for good or fails again and again, or with the
 * signal's reason. Another call continues from there.
 */
export async function loadKlines(options: LoadOptions): Promise<LoadResult> {
  const { coins, intervals, days, loaded, onProgress, now = Date.now } = options;
  await loadListing(options);
  const unknownCoins = new Set(coins.filter((coin) => loaded.onboardedAt(coin) === null));
  const series = coins.flatMap((coin) => {
    const onboardedAt = loaded.onboardedAt(coin);
    if (onboardedAt === null) return [];
    return intervals.map((interval) => ({ coin, interval, onboardedAt, loaded: loaded.spansOf(coin, interval) }));
  });
  const planned = planRequests(series, days, now());
  let bars = 0;
  for (const [done, request] of planned.entries()) {
    onProgress?.(done, planned.length);
    if (!unknownCoins.has(request.coin)) {
      const stored = await loadOne(options, request);
      if (stored === null) unknownCoins.add(request.coin);
      else bars += stored;
    }
  }
  onProgress?.(planned.length, planned.length);
  return { bars, unknownCoins: [...unknownCoins] };
}

/** Learns since when the exchange lists each coin, if that is unknown. */
async function loadListing({ coins, ...options }: LoadOptions): Promise<void> {
  const { loaded } = options;
  const missing = coins.filter((coin) => loaded.onboardedAt(coin) === null);
  if (missing.length === 0) return;
  const listed = await requestAndPublish(options, LISTING_REQUEST, LISTING_WEIGHT, readListing);
  for (const coin of missing) {
    const onboardedAt = listed.get(coin);
    if (onboardedAt !== undefined) await loaded.noteListing(coin, onboardedAt, options.signal);
  }
}

/** Returns the number of bars, or null if the exchange does not know the symbol. */
async function loadOne(options: LoadOptions, planned: PlannedRequest): Promise<number | null> {
  const { loaded, signal, pauseMs = 0, now = Date.now } = options;
  const { coin, interval } = planned;
  const intervalMs = INTERVALS[interval];
  const text = klineRequest(coin, interval, planned);
  const request = readKlineRequest(text)!;
  const { weight } = KLINE_WEIGHTS.find(({ rows }) => request.limit <= rows)!;
  try {
    const klines = await requestAndPublish(options, text, weight, (body) => readKlines(body, intervalMs));
    const span = answeredSpan(request, klines, now());
    if (span) await loaded.noteSpan(coin, intervalMs, span, signal);
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
    return span ? tradedKlines(klines, span).length : 0;
  } catch (error) {
    if (isUnknownSymbol(error)) return null;
    throw error;
  }
}

/** Sends a request until it is answered, and publishes the answer. Resolves when that is in the log. */
async function requestAndPublish<T>(
  { client, publisher, signal }: Pick<LoadOptions, 'client' | 'publisher' | 'signal'>,
  request: string,
  weight: number,
  read: (body: unknown) => T,
): Promise<T> {
  for (let failures = 0, limited = 0; ; ) {
    await publisher.whenReady(signal);
    try {
      const payload = await client.send(request, weight, signal);
      const answer = readAnswer(request, payload, read);
      publisher.receive({ source: SOURCE, feed: SOURCE, request, payload });
      await publisher.flush();
      return answer;
    } catch (error) {
      if (signal.aborted || !(error instanceof UpstreamError)) throw error;
      if (REFUSED_STATUSES.includes(error.status)) throw refusal(error);
      // Before another request the client waits as long as the exchange demands, which may be hardly anything.
      if (error.code === 'upstream_rate_limited') {
        limited += 1;
        await sleep(reconnectDelayMs(limited), undefined, { signal });
        continue;
      }
      failures += 1;
      const mayRetry = error.canRetry || error.code === 'upstream_malformed';
      if (!mayRetry || failures >= FAILURES_MAX) throw error;
      await sleep(reconnectDelayMs(failures), undefined, { signal });
    }
  }
}

function readAnswer<T>(request: string, payload: Buffer, read: (body: unknown) => T): T {
  try {
    return read(parseJsonOrNull(payload.toString()));
  } catch (cause) {
    if (!(cause instanceof FieldError)) throw cause;
    throw new UpstreamError('upstream_malformed', `the answer to ${request}: ${cause.message}`, { cause });
  }
}

function refusal({ message, status, body }: UpstreamError): UpstreamError {
  const text = `the external exchange refuses requests from here: ${message}`;
  return new UpstreamError('upstream_rejected', text, { status, body });
}

function isUnknownSymbol(error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.status !== 400) return false;
  return asObject(parseJsonOrNull(error.body ?? '')).code === UNKNOWN_SYMBOL;
}
