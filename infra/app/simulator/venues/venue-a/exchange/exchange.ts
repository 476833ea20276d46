/** The REST of the external exchange (its page of the venue): klines and the list of symbols. */
import { KLINE_COINS, KLINES_MAX, type KlineCoin, symbolOf } from '#schemas/venues/venue-a/klines';
import type { HostAnswer, HostRequest } from '../../../sockets/http-host.ts';
import { type Asset, makeCoins } from '../../../world/coins.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../world/time.ts';
import { EXCHANGE_LIMIT, ExchangeLimit, type ExchangeLimitOptions } from './exchange-limit.ts';
import { klineRows } from './klines.ts';

const INTERVAL_MS: Readonly<Record<string, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '6h': 6 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
};
const LIMIT_DEFAULT = 500;
/** Coins of the world among which the coins of the exchange are, however few of them venue_a lists. */
const WORLD_COINS = 25;

/** Since when the exchange lists each coin; two of them for less than two years. */
const ONBOARDED: Readonly<Record<KlineCoin, number>> = {
  BTC: Date.UTC(2019, 8, 8, 17, 57),
  ETH: Date.UTC(2019, 10, 27, 7, 45),
  SOL: Date.UTC(2020, 8, 14, 7),
  NEAR: Date.UTC(2020, 9, 14, 7),
  TON: Date.UTC(2024, 2, 12, 12, 30),
  WLD: Date.UTC(2023, 6, 24, 9),
  XRP: Date.UTC(2020, 0, 6, 8),
  SUI: Date.UTC(2023, 4, 3, 12),
  ZEC: Date.UTC(2020, 1, 5, 8),
  TAO: Date.UTC(2025, 3, 11, 12, 15),
  DOGE: Date.UTC(2020, 6, 10, 9),
  ADA: Date.UTC(2020, 0, 31, 8),
  AVAX: Date.UTC(2020, 8, 23, 7),
  BNB: Date.UTC(2025, 6, 10, 8, 2),
};

export interface ExchangeOptions {
  readonly seed: number;
  readonly now: () => number;
  readonly limit?: ExchangeLimitOptions;
  /** Coins that the exchange does not list; none by default. */
  readonly unlisted?: readonly string[];
}

export interface SimulatedExchange {
  answer(request: HostRequest): HostAnswer;
  /** Returns how often its limit was exceeded. */
  limitExceeded(): number;
}

const failure = (status: number, code: number, msg: string): HostAnswer => ({
  status,
  text: JSON.stringify({ code, msg }),
});

export function createExchange({
  seed,
  now,
  limit = EXCHANGE_LIMIT,
  unlisted = [],
}: ExchangeOptions): SimulatedExchange {
  const counted = new ExchangeLimit(limit);
  const assets = new Map(makeCoins(seed, WORLD_COINS).map((asset) => [asset.symbol, asset]));
  const bySymbol = new Map(
    KLINE_COINS.filter((coin) => !unlisted.includes(coin)).map((coin) => [symbolOf(coin), coin] as const),
  );

  const answerRoute = (path: string, query: URLSearchParams): HostAnswer => {
    if (path === '/fapi/v1/exchangeInfo') return { status: 200, text: listingText([...bySymbol.values()], now()) };
    if (path !== '/fapi/v1/klines') return failure(404, -5000, `Path ${path}, Method GET is invalid`);
    const coin = bySymbol.get(query.get('symbol') ?? '');
    if (!coin) return failure(400, -1121, 'Invalid symbol.');
    const intervalMs = INTERVAL_MS[query.get('interval') ?? ''];
    if (!intervalMs) return failure(400, -1120, 'Invalid interval.');
    const rows = rowsOf(seed, assets.get(coin)!, ONBOARDED[coin], intervalMs, query, now());
    return { status: 200, text: `[${rows.join(',')}]` };
  };

  return {
    limitExceeded: () => counted.exceeded,
    answer({ path, query }) {
      const { refusal, used } = counted.count(weightOf(path, query), now());
      const headers = { 'x-mbx-used-weight-1m': String(used) };
      if (!refusal) return { ...answerRoute(path, query), headers };
      const { status, retryAfterSeconds } = refusal;
      return {
        ...failure(status, -1003, 'Too many requests.'),
        headers: { ...headers, 'retry-after': String(retryAfterSeconds) },
      };
    },
  };
}

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? LIMIT_DEFAULT);
  return Math.min(Math.max(Math.trunc(limit) || LIMIT_DEFAULT, 1), KLINES_MAX);
}

function weightOf(path: string, query: URLSearchParams): number {
  if (path !== '/fapi/v1/klines') return 1;
  const limit = limitOf(query);
  if (limit < 100) return 1;
  if (limit < 500) return 2;
  return limit <= 1_000 ? 5 : 10;
}

/** Rows ascend by open time. Both bounds are inclusive; without a start, the rows are the newest ones. */
function rowsOf(
  seed: number,
  asset: Asset,
  onboardedAt: number,
  intervalMs: number,
  query: URLSearchParams,
  nowMs: number,
): string[] {
  const floor = (time: number) => Math.floor(time / intervalMs) * intervalMs;
  const limit = limitOf(query);
  const [start, end] = [query.get('startTime'), query.get('endTime')];
  const endMs = Math.min(end === null ? nowMs : Number(end), nowMs);
  const oldest = floor(onboardedAt);
  const rowsFrom = (fromMs: number) =>
    klineRows(seed, asset, intervalMs, { fromMs, untilMs: floor(endMs) + intervalMs, nowMs });
  if (start === null) return rowsFrom(Math.max(oldest, floor(endMs) - (limit - 1) * intervalMs)).slice(-limit);
  const fromMs = Math.max(oldest, floor(Number(start) + intervalMs - 1));
  const untilMs = Math.min(floor(endMs) + intervalMs, fromMs + limit * intervalMs);
  return klineRows(seed, asset, intervalMs, { fromMs, untilMs, nowMs });
}

function listingText(coins: readonly KlineCoin[], nowMs: number): string {
  const symbols = coins.map((coin) => {
    const symbol = symbolOf(coin);
    return { symbol, pair: symbol, contractType: 'PERPETUAL', onboardDate: ONBOARDED[coin], status: 'TRADING' };
  });
  const [first] = symbols;
  // A contract that expires is no perpetual.
  const quarter = first && { ...first, symbol: `${first.symbol}_261225`, contractType: 'CURRENT_QUARTER' };
  return JSON.stringify({ timezone: 'UTC', serverTime: nowMs, symbols: quarter ? [...symbols, quarter] : symbols });
}
