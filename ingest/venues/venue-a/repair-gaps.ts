/**
 * Requests the venue's bars for gaps in the recorded trades, also for minutes of which a trade came too late. The responses
 * are published like all others, so the normaliser stores the bars and the range in which they are complete, and that range
 * ends the repair. What is open after a restart follows from the log.
 */
import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { TopicFollower } from '#infra/stages/topic-follower';
import { MINUTE_MS } from '#schemas/domain/candles/sources';
import { candleRangeTopic, venueCandleRangeTopics } from '#schemas/topics/candles';
import { STORED_BARS, snapshotRequest } from '#schemas/venues/venue-a/candle-snapshot';
import { providerOf } from '#schemas/venues/venue-a/coin-market';
import { UpstreamError } from '../../feed/errors.ts';
import type { AdapterContext } from '../adapter.ts';
import { type GapRepair, GapRepairs } from './gap-repairs.ts';
import { infoWeightMax } from './info-weight.ts';

/** The ranges that the normaliser states, and the gaps by trades that came too late. */
const TOPICS = [venueCandleRangeTopics.venue_a, candleRangeTopic];
/** Time between two looks for requests that are due, also before the first: the normaliser resumes after a restart. */
const INTERVAL_MS = 5_000;
/** Requests at once. They wait for room within the limits. */
const RUNNING = 4;

export interface RepairOptions {
  readonly context: Pick<AdapterContext, 'log' | 'codec' | 'logger'>;
  /** Sends a request with this JSON text and weight, and publishes the response. */
  readonly send: (request: string, signal: AbortSignal, weight: number) => Promise<unknown>;
  readonly intervalMs?: number;
  readonly now?: () => number;
  /** How it waits between two looks. */
  readonly wait?: typeof pause;
}

/** Runs until it is closed. Close it before the publisher. */
export async function startGapRepairs(options: RepairOptions): Promise<Running> {
  const { context, intervalMs = INTERVAL_MS, now = Date.now } = options;
  const { log, codec } = context;
  await log.createTopics(TOPICS);
  await codec.prepare(TOPICS);
  const repairs = new GapRepairs();
  const closing = new AbortController();
  const followers: Running[] = [];
  const close = async () => {
    closing.abort();
    for (const follower of followers) await follower.close();
  };
  try {
    for (const topic of TOPICS) {
      const follower = new TopicFollower(context, {
        topic,
        part: 'gap repairs',
        from: await log.offsetAt({ topic: topic.name, partition: 0 }, now() - STORED_BARS * MINUTE_MS),
        handle(range) {
          // The topic of late trades has those of all venues.
          if (range.provider === providerOf(range.coin)) repairs.record(range);
        },
      });
      followers.push(follower);
      await follower.catchUp();
      await follower.start();
    }
  } catch (error) {
    await close();
    throw error;
  }
  const running = repair(options, repairs, closing.signal, intervalMs, now);
  return {
    close: async () => {
      await close();
      await running;
    },
  };
}

async function repair(
  { context, send, wait = pause }: RepairOptions,
  repairs: GapRepairs,
  signal: AbortSignal,
  intervalMs: number,
  now: () => number,
): Promise<void> {
  const sendOne = async (repair: GapRepair): Promise<void> => {
    const { coin, from, until } = repair;
    repairs.begin(repair);
    const request = snapshotRequest(coin, '1m', from, until, now());
    try {
      await send(JSON.stringify(request), signal, infoWeightMax(request));
      repairs.answered(repair, now());
      context.logger.debug({ coin, from, until }, 'requested the bars of a gap');
    } catch (error) {
      if (signal.aborted) return;
      // What the venue rejects, it rejects again.
      if (error instanceof UpstreamError && !error.canRetry) repairs.answered(repair, now());
      else repairs.failed(repair, now());
      // The venue may be away for long, and the request is repeated.
      const level = error instanceof UpstreamError ? 'debug' : 'error';
      context.logger[level]({ error, coin }, 'could not request the bars of a gap, retrying');
    }
  };
  const work = async (): Promise<void> => {
    while (await wait(intervalMs, signal))
      // Looked for again each time, since a request may have waited for long.
      for (let [next] = repairs.due(now()); next && !signal.aborted; [next] = repairs.due(now())) await sendOne(next);
  };
  await Promise.all(Array.from({ length: RUNNING }, work));
}
