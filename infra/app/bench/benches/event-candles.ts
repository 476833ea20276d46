/**
 * Candles of an event compared with a bare query that returns the same rows: 500 buckets of an hour of an event with
 * four legs, each with a bar of both sides for nearly every minute, out of a million bars. `event-candles` is the p99
 * of the latency. `event-candles-memory` is the growth of the anonymous memory of the REST process while a hundred
 * clients send such requests at once.
 *
 * Sources of error: those of `candles`; for memory the first requests, with which caches of the store fill (one client
 * sends some before), and the memory of the clients (they are in another process).
 */
import { join } from 'node:path';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import { eventTopic } from '#schemas/topics/derived';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { END_MS, endMerges, MINUTE_MS, openBarsService, recordOf, seedBars } from '../candles/bars-service.ts';
import { compareReads, haveCandles } from '../candles/compare-reads.ts';
import { type ClientsSize, GROWTH_AIM, measureGrowth } from '../candles/memory-growth.ts';
import { latencyResult } from '../measure.ts';

const HOUR_MS = 60 * MINUTE_MS;
const UNIVERSAL_ID = 'evt_bench';
/** Providers of two legs each, and an inverse one among them. */
const LEGS = [
  { provider: 'venue_a_outcome', market: '#100', no: '#101', polarity: 'same' },
  { provider: 'venue_a_outcome', market: '#200', no: '#201', polarity: 'inverse' },
  { provider: 'venue_b', market: '3001', no: '3002', polarity: 'same' },
  { provider: 'venue_b', market: '4001', no: '4002', polarity: 'same' },
] as const;
const PRICE = "concat('0.', leftPad(toString(cityHash64(place) % 800 + 100), 3, '0'))";

export interface EventCandlesSize extends ClientsSize {
  /** Minutes of each of the eight instruments. */
  readonly minutes: number;
  readonly buckets: number;
  readonly rounds: number;
  readonly warmups: number;
}

const SIZE: EventCandlesSize = {
  minutes: 125_000,
  buckets: 500,
  rounds: 100,
  warmups: 10,
  clients: 100,
  clientsMs: 20_000,
  firstRequests: 20,
};

export const eventCandles: Bench = {
  aims: { 'event-candles': { ratioMax: 1.5 }, 'event-candles-memory': GROWTH_AIM },
  limitMs: 600_000,
  run: (context) => measureEventCandles(context, SIZE),
};

export async function measureEventCandles(
  { folder, onProgress }: BenchContext,
  size: EventCandlesSize,
): Promise<BenchResult[]> {
  const rows = size.buckets * LEGS.length;
  const service = await openBarsService(join(folder, 'event'), [recordOf(eventTopic, UNIVERSAL_ID, EVENT)]);
  let latency: BenchResult;
  try {
    for (const provider of ['venue_a_outcome', 'venue_b'] as const) {
      const coins = LEGS.filter((leg) => leg.provider === provider).flatMap(({ market, no }) => [market, no]);
      const bars = { provider, coins, minutes: size.minutes, source: 'trades', price: PRICE, hasPlaces: true };
      await seedBars(service.context, bars);
    }
    await endMerges(service.context);
    const latencies = await compareReads(service, {
      path: (nth) => pathOf(rows, nth),
      sql: () => bareQuery(END_MS - size.buckets * HOUR_MS),
      isSame: haveCandles(rows),
      rounds: size.rounds,
      warmups: size.warmups,
      onProgress: (share) => onProgress(share / 2),
    });
    latency = latencyResult('event-candles', latencies);
  } finally {
    await service.close();
  }
  const growth = await measureGrowth('event-candles-memory', service, size, (nth) => pathOf(rows, nth));
  onProgress(1);
  return [latency, growth];
}

/** Every end within an hour gives the same candles. */
function pathOf(rows: number, nth: number): string {
  return `/v1/events/${UNIVERSAL_ID}/candles?interval=1h&limit=${rows}&end_time=${END_MS + nth}`;
}

function linkOf({ provider, market, no, polarity }: (typeof LEGS)[number]): EventLink {
  return {
    provider,
    providerMarketId: market,
    confidence: 1,
    source: 'structured',
    polarity,
    used: true,
    evidence: '{}',
    yesInstrument: market,
    noInstrument: no,
    takerFeeRate: null,
    marketState: 'open',
    title: '',
    endTime: null,
  };
}

const EVENT: UniversalEvent = {
  universalId: UNIVERSAL_ID,
  receivedAt: END_MS,
  canonicalName: 'An event with four legs',
  kind: null,
  underlying: null,
  threshold: null,
  op: null,
  resolutionTime: null,
  status: 'open',
  firstSeenAt: END_MS,
  lastSeenAt: END_MS,
  links: LEGS.map(linkOf),
  mergedInto: null,
  details: '{}',
  overAt: null,
};

/** The candles of the event by SQL alone, from minutes that are all recorded. */
function bareQuery(from: number): string {
  const list = (values: readonly string[]) => `[${values.map((value) => `'${value}'`).join(', ')}]`;
  const instruments = LEGS.flatMap(({ provider, market, no }) => [
    `('${provider}', '${market}')`,
    `('${provider}', '${no}')`,
  ]);
  const markets = `transform(coin, ${list(LEGS.map(({ no }) => no))}, ${list(LEGS.map(({ market }) => market))}, coin)`;
  const flipped = LEGS.map(({ market, no, polarity }) => (polarity === 'inverse' ? market : no));
  return `SELECT provider, market, bucket, argMin(first, opened) AS open, max(most) AS high, min(least) AS low,
      argMax(final, closed) AS close, sum(volume) AS volume, toFloat64(sum(trades)) AS trades, any(source) AS source
    FROM (SELECT provider, ${markets} AS market, toFloat64(intDiv(toUnixTimestamp64Milli(openTime), ${HOUR_MS})) AS bucket,
        has(${list(flipped)}, coin) AS flips, if(flips, 1 - open, open) AS first, if(flips, 1 - low, high) AS most,
        if(flips, 1 - high, low) AS least, if(flips, 1 - close, close) AS final, (openTs, openArrival) AS opened,
        (closeTs, closeArrival) AS closed, volume, trades, source
      FROM candle_bars FINAL
      WHERE (provider, coin) IN (${instruments.join(', ')}) AND intervalMs = ${MINUTE_MS}
        AND openTime >= fromUnixTimestamp64Milli(toInt64(${from}))
        AND openTime < fromUnixTimestamp64Milli(toInt64(${END_MS})))
    GROUP BY provider, market, bucket ORDER BY bucket, provider, market`;
}
