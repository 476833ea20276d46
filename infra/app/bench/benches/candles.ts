/**
 * Candles of a coin compared with a bare query that returns the same rows, as p99 of the latency: `candles` are 5,000
 * candles of a minute out of a store with 20 million trades, `candles-1d` 730 candles of a day out of two years of
 * minutes. REST is requested over HTTP, and the baseline is a query of the same store without HTTP. `candles-memory` and
 * `candles-1d-memory` are the growth of the anonymous memory of the REST process while a hundred clients send such
 * requests at once.
 *
 * Sources of error: cached responses (each request has another window, or at least another query string); other pages
 * of the table in the cache of the system for one side (both read the same rows, alternately); merges of parts that were
 * just inserted (they are ended before); a different number of rows (it throws); for memory the first requests, with
 * which caches of the store fill (one client sends some before), and the memory of the clients (they are in another
 * process).
 */
import { join } from 'node:path';
import { type Instrument, instrumentTopics } from '#schemas/topics/normalised';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import {
  END_MS,
  endMerges,
  MINUTE_MS,
  openBarsService,
  recordOf,
  seedBars,
  seedTrades,
} from '../candles/bars-service.ts';
import { compareReads, haveCandles } from '../candles/compare-reads.ts';
import { type ClientsSize, GROWTH_AIM, measureGrowth } from '../candles/memory-growth.ts';
import { latencyResult } from '../measure.ts';

const DAY_MS = 1_440 * MINUTE_MS;
const COIN = 'BTC';
const BTC: Instrument = {
  provider: 'venue_a_perp',
  coin: COIN,
  receivedAt: END_MS,
  kind: 'perp',
  sizeDecimals: 5,
  maxLeverage: 40,
  delisted: false,
  index: 0,
  dex: null,
  base: null,
  quote: null,
  quoteDecimals: null,
  canonical: false,
  tradesLeftOut: false,
};
const PRICE = "concat(toString(50000 + cityHash64(place) % 9000), '.', toString(place % 9 + 1))";

export interface CandlesSize {
  /** Trades in the store, of all coins. */
  readonly trades: number;
  readonly coins: number;
  /** Minutes of each coin. */
  readonly minutes: number;
  readonly candles: number;
  readonly days: number;
  /** So many that the p99 is not one of the few slowest reads, and no more than there are windows. */
  readonly rounds: number;
  readonly warmups: number;
  /** Null to measure the latency alone. */
  readonly memory: ClientsSize | null;
}

/** Windows of the minutes, with other ends. */
const WINDOWS = 500;

const SIZE: CandlesSize = {
  trades: 20_000_000,
  coins: 50,
  minutes: 10_080,
  candles: 5_000,
  days: 730,
  rounds: 480,
  warmups: 20,
  memory: { clients: 100, clientsMs: 20_000, firstRequests: 40 },
};

export const candles: Bench = {
  aims: {
    candles: { ratioMax: 1.3 },
    'candles-memory': GROWTH_AIM,
    'candles-1d': { ratioMax: 1.3 },
    'candles-1d-memory': GROWTH_AIM,
  },
  limitMs: 900_000,
  run: (context) => measureCandles(context, SIZE),
};

export async function measureCandles(context: BenchContext, size: CandlesSize): Promise<BenchResult[]> {
  return [...(await measureMinutes(context, size)), ...(await measureDays(context, size))];
}

const bars = { provider: BTC.provider, source: 'venue_node', price: PRICE, hasPlaces: false };

async function measureMinutes({ folder, onProgress }: BenchContext, size: CandlesSize): Promise<BenchResult[]> {
  const coins = [COIN, ...Array.from({ length: size.coins - 1 }, (_, nth) => `COIN${nth}`)];
  const service = await openBarsService(join(folder, 'minutes'), [recordOf(instrumentTopics.venue_a, COIN, BTC)]);
  const { candles: limit } = size;
  const endOf = (nth: number) => END_MS - (nth % WINDOWS) * MINUTE_MS;
  const path = (nth: number) => `${pathOf('1m', limit)}&end_time=${endOf(nth)}`;
  let latency: BenchResult;
  try {
    await seedTrades(service.context, size.trades, coins, size.minutes);
    await seedBars(service.context, { ...bars, coins, minutes: size.minutes });
    await endMerges(service.context);
    const latencies = await compareReads(service, {
      path,
      sql: (nth) => `SELECT toFloat64(toUnixTimestamp64Milli(openTime)) AS ts, open, high, low, close, volume, source
        FROM candle_bars FINAL WHERE ${OF_COIN} AND ${within(endOf(nth) - limit * MINUTE_MS, endOf(nth))}
        ORDER BY openTime`,
      isSame: haveCandles(limit),
      rounds: size.rounds,
      warmups: size.warmups,
      onProgress: (share) => onProgress(share / 2),
    });
    latency = latencyResult('candles', latencies);
  } finally {
    await service.close();
  }
  return size.memory ? [latency, await measureGrowth('candles-memory', service, size.memory, path)] : [latency];
}

async function measureDays({ folder, onProgress }: BenchContext, size: CandlesSize): Promise<BenchResult[]> {
  const service = await openBarsService(join(folder, 'days'), [recordOf(instrumentTopics.venue_a, COIN, BTC)]);
  // Every end within a day gives the same candles.
  const path = (nth: number) => `${pathOf('1d', size.days)}&end_time=${END_MS + nth}`;
  let latency: BenchResult;
  try {
    await seedBars(service.context, { ...bars, coins: [COIN], minutes: size.days * 1_440 });
    await endMerges(service.context);
    const latencies = await compareReads(service, {
      path,
      sql: () => `SELECT toFloat64(intDiv(toUnixTimestamp64Milli(openTime), ${DAY_MS})) AS day,
          argMin(open, openTime) AS open, max(high) AS high, min(low) AS low, argMax(close, openTime) AS close,
          sum(volume) AS volume
        FROM candle_bars FINAL WHERE ${OF_COIN} AND ${within(END_MS - size.days * DAY_MS, END_MS)}
        GROUP BY day ORDER BY day`,
      isSame: haveCandles(size.days),
      rounds: size.rounds,
      warmups: size.warmups,
      onProgress: (share) => onProgress((1 + share) / 2),
    });
    latency = latencyResult('candles-1d', latencies);
  } finally {
    await service.close();
  }
  return size.memory ? [latency, await measureGrowth('candles-1d-memory', service, size.memory, path)] : [latency];
}

const OF_COIN = `provider = '${BTC.provider}' AND coin = '${COIN}' AND intervalMs = ${MINUTE_MS}`;

function pathOf(interval: string, limit: number): string {
  return `/v1/markets/venue_a/coins/${COIN}/candles?interval=${interval}&limit=${limit}`;
}

function within(from: number, until: number): string {
  return `openTime >= fromUnixTimestamp64Milli(toInt64(${from})) AND openTime < fromUnixTimestamp64Milli(toInt64(${until}))`;
}
