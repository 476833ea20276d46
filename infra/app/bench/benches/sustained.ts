/**
 * Lag and loss of the service at 3,000 simulated events a second with 100 subscribers and 20 REST reads a second. The
 * service is a separate process, with the simulator in it as with `npm start`. Each subscriber subscribes to the trades
 * of one provider and to spreads, arbitrage and trades of two events.
 *
 * `sustained-lag` is the p99 of the age of the newest trade: the current time less the venue's time of the trade. It is
 * sampled every 50 ms on each socket that is subscribed to venue_a's perpetuals, and over REST whenever a response
 * arrives; the worse of the two is the result. `sustained-loss` is the number of events that subscribers missed: jumps
 * of `seq`, the count in `lagged` frames, and one for each `gap`, error frame or closed socket. Neither has a baseline.
 *
 * Sources of error: trades of venue_b, whose time is that of a block of two seconds (they are received but not timed);
 * responses that REST caches for 5 s (no read repeats a path within that time); rarely traded coins, whose newest trade
 * is old (only the three most traded are read); frames that stop arriving, which ages on arrival would not show (ages
 * are sampled by time); a slow subscriber or simulator on a machine with few cores (both count against the service, so
 * nothing else should run); the initial catalogs (the first 10 s are not counted).
 *
 * `PARALLAX_BENCH_SECONDS` (30) is the duration.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeInReverse } from '../../../runtime/closing.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { benchSeconds } from '../bench-seconds.ts';
import { readNewestTrades, waitForTrades } from '../service/newest-trade-reader.ts';
import { readJson, type StartedService, startService } from '../service/start-service.ts';
import { quantile } from '../statistics.ts';
import { startThread } from '../threads/start-thread.ts';
import type { SubscribersCall, SubscribersReply } from '../threads/subscribers.ts';

const SECONDS = benchSeconds(30);
const READS_PER_SECOND = 20;
const TRADES_TIMEOUT_MS = 60_000;
const SECOND_MS = 1_000;
const TIMED_CHANNEL = 'svc:stream:trade:venue_a_perp';
const PROVIDER_CHANNELS = [TIMED_CHANNEL, 'svc:stream:trade:venue_a_outcome', 'svc:stream:trade:venue_b'];
const EVENTS_PER_SUBSCRIBER = 2;

interface SustainedSize {
  /** Simulated events per second. */
  readonly rate: number;
  readonly subscribers: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export const sustained: Bench = {
  aims: { 'sustained-lag': { valueMaxMs: 1_000 }, 'sustained-loss': { valueMax: 0 } },
  limitMs: SECONDS * SECOND_MS + 240_000,
  run: (context) => measureSustained(context, { rate: 3_000, subscribers: 100, warmUpSeconds: 10, seconds: SECONDS }),
};

async function measureSustained(
  { folder, onProgress }: BenchContext,
  { rate, subscribers, warmUpSeconds, seconds }: SustainedSize,
): Promise<BenchResult[]> {
  const sourceFlags = ['--venues', 'sim', '--sim-rate', String(rate)];
  const service = await startService({ dataDir: join(folder, 'service'), sourceFlags });
  const closers = [() => service.stop()];
  try {
    await waitForTrades(service, TRADES_TIMEOUT_MS);
    const thread = startThread<SubscribersCall, SubscribersReply>('subscribers', null);
    closers.push(() => thread.close());
    const ask = async (call: SubscribersCall): Promise<SubscribersReply> => {
      const reply = await thread.request(call);
      if (reply.fault !== null) throw new Error(`a subscriber could not be opened: ${reply.fault}`);
      return reply;
    };
    const { port, pathname } = new URL(`${service.streamUrl}/v1/stream`);
    const target = { port: Number(port), path: pathname, headers: service.headers };
    const channels = channelsOf(await universalIds(service), subscribers);
    await ask({ kind: 'open', target, channels, timedChannel: TIMED_CHANNEL });
    await sleep(warmUpSeconds * SECOND_MS);
    await ask({ kind: 'begin' });
    const durationMs = seconds * SECOND_MS;
    const onRead = (elapsedMs: number) => onProgress(elapsedMs / durationMs);
    const restAges = await readNewestTrades(service, { perSecond: READS_PER_SECOND, durationMs, onRead });
    return resultsOf(restAges, await ask({ kind: 'end' }));
  } finally {
    await closeInReverse(closers);
  }
}

/** Returns the channels of each subscriber. */
export function channelsOf(universalIds: readonly string[], subscribers: number): string[][] {
  if (universalIds.length === 0) throw new Error('the simulation has no universal events');
  return Array.from({ length: subscribers }, (_, nth) => {
    const ids = Array.from(
      { length: EVENTS_PER_SUBSCRIBER },
      (_, more) => universalIds[(nth * EVENTS_PER_SUBSCRIBER + more) % universalIds.length]!,
    );
    const ofEvents = [...new Set(ids)].flatMap((id) =>
      ['event', 'arbitrage', 'trade'].map((kind) => `svc:stream:${kind}:${id}`),
    );
    return [PROVIDER_CHANNELS[nth % PROVIDER_CHANNELS.length]!, ...ofEvents];
  });
}

/** Calculates the worse lag and the sum of losses. Throws if the stream or REST received nothing. */
export function resultsOf(
  restAges: readonly number[],
  { ages, missing, events, closed }: Omit<SubscribersReply, 'fault'>,
): BenchResult[] {
  if (events === 0 || ages.length === 0) throw new Error('no event reached a subscriber');
  const lag = Math.max(quantile(ages, 0.99), quantile(restAges, 0.99));
  const alone = { baseline: null, ratio: null };
  return [
    { name: 'sustained-lag', value: lag, unit: 'ms', ...alone },
    { name: 'sustained-loss', value: missing + closed, unit: 'events', ...alone },
  ];
}

async function universalIds(service: StartedService): Promise<string[]> {
  const { events } = await readJson<{ events: { universalId: string }[] }>(service, '/v1/events?limit=50');
  return events.map(({ universalId }) => universalId);
}
