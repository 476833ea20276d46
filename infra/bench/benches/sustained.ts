/**
 * Does the service keep up with 3,000 simulated events a second while 100 subscribers listen and REST is read 20 times a
 * second? The service is a process of its own, with the simulator in it as `npm start` has it. Each subscriber listens to
 * the trades of one provider and to spreads, arbitrage and trades of two events.
 *
 * `sustained-lag` is the p99 of the age of the newest trade: the clock when it is looked at less the venue's time of the
 * trade. On the stream it is looked at every 50 ms on each socket that hears of venue_a's perpetuals, over REST when an
 * answer arrives; the worse of the two counts. `sustained-loss` is how many events subscribers missed: jumps of `seq`, what
 * `lagged` says was dropped, and one for each `gap`, error frame or closed socket. Neither has a baseline.
 *
 * What would skew it: trades of venue_b, which carry the time of a block that is two seconds long (they are received but
 * not timed); the answers that REST keeps for 5 s (no read repeats a path within that time); coins that are rarely traded,
 * whose newest trade is old (the three most traded are read); frames that stopped coming, which an age on arrival would
 * not show (the age is looked at by the clock); a subscriber that is slower than the service, or a simulator that is late
 * on a machine with too few cores (both count against the service, so nothing else should run); what comes first, as the
 * catalog (the first 10 s are not counted).
 *
 * `PARALLAX_BENCH_SECONDS` (30) says how long it measures.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeInReverse } from '../../closing.ts';
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

export interface SustainedSize {
  /** Simulated events a second. */
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

export async function measureSustained(
  { folder, onProgress }: BenchContext,
  { rate, subscribers, warmUpSeconds, seconds }: SustainedSize,
): Promise<BenchResult[]> {
  const world = ['--venues', 'sim', '--sim-rate', String(rate)];
  const service = await startService({ dataDir: join(folder, 'service'), world });
  const closers = [() => service.stop()];
  try {
    await waitForTrades(service, TRADES_TIMEOUT_MS);
    const thread = startThread<SubscribersCall, SubscribersReply>('subscribers', null);
    closers.push(() => thread.close());
    const ask = async (call: SubscribersCall): Promise<SubscribersReply> => {
      const reply = await thread.ask(call);
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

/** What each subscriber listens to. */
export function channelsOf(universalIds: readonly string[], subscribers: number): string[][] {
  if (universalIds.length === 0) throw new Error('the simulated world has no universal events');
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

/** The worse lag, and all losses. Throws when a side saw nothing, whose lag would mean nothing. */
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
