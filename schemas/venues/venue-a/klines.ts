/** Klines of the external exchange: which are loaded, how they are requested, and how responses are read. */
import { INTERVALS } from '../../domain/candles/sources.ts';
import type { Span } from '../../domain/candles/spans.ts';
import {
  FieldError,
  readAmount,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '../../domain/json-fields.ts';

/** Coins of venue_a that the exchange lists too. */
export const KLINE_COINS = [
  'BTC',
  'ETH',
  'SOL',
  'NEAR',
  'TON',
  'WLD',
  'XRP',
  'SUI',
  'ZEC',
  'TAO',
  'DOGE',
  'ADA',
  'AVAX',
  'BNB',
] as const;
export type KlineCoin = (typeof KLINE_COINS)[number];

/** Lengths of bars that are loaded; longer bars are joined from hours. */
export const KLINE_INTERVALS = ['1m', '5m', '15m', '1h'] as const;
export type KlineInterval = (typeof KLINE_INTERVALS)[number];

/** Most rows of one response. */
export const KLINES_MAX = 1_500;
/** Rows of a response if the request states no limit. */
const KLINES_DEFAULT = 500;

const PATH = '/fapi/v1/klines';
const QUOTE = 'USDT';

/** Request for the list of symbols, as it is recorded. */
export const LISTING_REQUEST = 'GET /fapi/v1/exchangeInfo';

/** Request for the klines that begin within a span, as it is recorded: `GET /path?query`. */
export function klineRequest(coin: KlineCoin, interval: KlineInterval, { from, until }: Span): string {
  const limit = (until - from) / INTERVALS[interval];
  return `GET ${PATH}?symbol=${symbolOf(coin)}&interval=${interval}&startTime=${from}&endTime=${until - 1}&limit=${limit}`;
}

export function symbolOf(coin: KlineCoin): string {
  return `${coin}${QUOTE}`;
}

function coinOf(symbol: string): KlineCoin | undefined {
  return KLINE_COINS.find((coin) => symbolOf(coin) === symbol);
}

export interface KlineRequest {
  readonly coin: KlineCoin;
  readonly intervalMs: number;
  /** Bounds of the time at which a kline begins, both inclusive; null without one. */
  readonly startTime: number | null;
  readonly endTime: number | null;
  readonly limit: number;
}

/** Reads a recorded request; null for any other one, and for coins and lengths that are not used. Throws `FieldError`. */
export function readKlineRequest(request: string | null): KlineRequest | null {
  const start = `GET ${PATH}?`;
  if (!request?.startsWith(start)) return null;
  const query = new URLSearchParams(request.slice(start.length));
  const coin = coinOf(query.get('symbol') ?? '');
  const interval = KLINE_INTERVALS.find((name) => name === query.get('interval'));
  if (!coin || !interval) return null;
  const numberOf = (name: string) => {
    const text = query.get(name);
    return text === null ? null : readInteger(text, `request.${name}`);
  };
  return {
    coin,
    intervalMs: INTERVALS[interval],
    startTime: numberOf('startTime'),
    endTime: numberOf('endTime'),
    limit: numberOf('limit') ?? KLINES_DEFAULT,
  };
}

/** A row of a response; figures are canonical decimals. */
export interface Kline {
  readonly openTime: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** In the coin; 0 if nothing was traded. */
  readonly volume: string;
  readonly trades: number;
}

/** Positions in a row. */
const TRADES_AT = 8;

/** Reads all rows of a response. Throws `FieldError`. */
export function readKlines(body: unknown, intervalMs: number): readonly Kline[] {
  let before = -1;
  return readList(body, 'response').map((value, at) => {
    try {
      const row = readList(value, 'row');
      const openTime = readInteger(row[0], 'openTime');
      if (openTime % intervalMs !== 0) throw new FieldError('openTime', `a multiple of ${intervalMs}`, openTime);
      if (openTime <= before) throw new FieldError('openTime', 'a later time than in the row before', openTime);
      before = openTime;
      return {
        openTime,
        open: readAmount(row[1], 'open'),
        high: readAmount(row[2], 'high'),
        low: readAmount(row[3], 'low'),
        close: readAmount(row[4], 'close'),
        volume: readAmount(row[5], 'volume'),
        trades: readInteger(row[TRADES_AT], 'trades'),
      };
    } catch (error) {
      throw withPath(error, `response[${at}]`);
    }
  });
}

/**
 * The buckets of which a response states everything that happened: those that were closed and begin within the request.
 * A response with as many rows as the request allows ends, or without a start begins, with its rows. Null for none.
 */
export function answeredSpan(
  { intervalMs, startTime, endTime, limit }: KlineRequest,
  klines: readonly Kline[],
  receivedAt: number,
): Span | null {
  const floor = (time: number) => Math.floor(time / intervalMs) * intervalMs;
  const [first, last] = [klines[0], klines.at(-1)];
  const from = startTime === null ? first?.openTime : floor(startTime + intervalMs - 1);
  if (from === undefined) return null;
  const ends = [floor(receivedAt)];
  if (endTime !== null) ends.push(floor(endTime) + intervalMs);
  if (startTime !== null && last && klines.length >= limit) ends.push(last.openTime + intervalMs);
  const until = Math.min(...ends);
  return from < until ? { from, until } : null;
}

/** The klines of a span in which something was traded: these are bars. */
export function tradedKlines(klines: readonly Kline[], { from, until }: Span): readonly Kline[] {
  return klines.filter(({ openTime, volume }) => openTime >= from && openTime < until && volume !== '0');
}

/** Reads since when the exchange lists each coin, unix ms. Throws `FieldError`. */
export function readListing(body: unknown): ReadonlyMap<KlineCoin, number> {
  const listed = new Map<KlineCoin, number>();
  for (const [at, value] of readList(readObject(body, 'response').symbols, 'symbols').entries()) {
    try {
      const { symbol, contractType, onboardDate } = readObject(value, 'symbol');
      const coin = coinOf(readText(symbol, 'symbol'));
      if (coin && contractType === 'PERPETUAL') listed.set(coin, readInteger(onboardDate, 'onboardDate'));
    } catch (error) {
      throw withPath(error, `symbols[${at}]`);
    }
  }
  return listed;
}
