/**
 * Requests the venue's 5-minute bars of days without a complete daily row, in the background. The responses are published
 * like all others, so the normaliser stores the bars and the range in which they are complete, and that range ends the
 * request. What is left after a restart follows from the log.
 */
import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { TopicFollower } from '#infra/stages/topic-follower';
import { INTERVALS } from '#schemas/domain/candles/sources';
import { venueCandleRangeTopics } from '#schemas/topics/candles';
import { dailyRowTopic } from '#schemas/topics/daily';
import type { Topic } from '#schemas/topics/topic';
import { STORED_BARS, snapshotRequest } from '#schemas/venues/venue-a/candle-snapshot';
import { UpstreamError } from '../../feed/errors.ts';
import type { AdapterContext } from '../adapter.ts';
import { DailyBars } from './daily-bars.ts';
import { infoWeightMax } from './info-weight.ts';

const RANGES = venueCandleRangeTopics.venue_a;
const DAY_MS = INTERVALS['1d'];
/** Other requests are more important after a start. */
const DELAY_MS = 5 * 60_000;
/** Time between two looks for requests that are due. */
const INTERVAL_MS = 60_000;
/** Requests after one look, so that a newer day does not wait for all older ones. */
const REQUESTS_PER_LOOK = 50;
/** Failures in a row after which a look ends: the venue may be away for long. */
const FAILURES_MAX = 3;
/** Records of the last days that can still be requested, and some. */
const LOOKBACK_MS = STORED_BARS * INTERVALS['5m'] + DAY_MS;

export interface DailyBarsOptions {
  readonly context: Pick<AdapterContext, 'log' | 'codec' | 'logger'>;
  /** The listed perps and contracts, the most traded first. */
  readonly coins: () => readonly string[];
  /** Sends a request with this JSON text and weight, and publishes the response. */
  readonly send: (request: string, signal: AbortSignal, weight: number) => Promise<unknown>;
  readonly delayMs?: number;
  readonly intervalMs?: number;
  readonly now?: () => number;
}

/** Runs until it is closed. Close it before the publisher. */
export async function startDailyBars(options: DailyBarsOptions): Promise<Running> {
  const { context, now = Date.now } = options;
  const { log, codec } = context;
  await log.createTopics([RANGES, dailyRowTopic]);
  await codec.prepare([RANGES, dailyRowTopic]);
  const bars = new DailyBars();
  const follow = async <T>(topic: Topic<T>, handle: (value: T) => void): Promise<TopicFollower<T>> => {
    const from = await log.offsetAt({ topic: topic.name, partition: 0 }, now() - LOOKBACK_MS);
    const follower = new TopicFollower(context, { topic, part: 'daily bars', from, handle });
    await follower.catchUp();
    await follower.start();
    return follower;
  };
  const ranges = await follow(RANGES, (range) => bars.recordRange(range));
  const rows = await follow(dailyRowTopic, (row) => bars.recordRow(row)).catch(async (error: unknown) => {
    await ranges.close();
    throw error;
  });
  const running = fetch(options, bars, rows.signal);
  return {
    close: async () => {
      await rows.close();
      await ranges.close();
      await running;
    },
  };
}

async function fetch(options: DailyBarsOptions, bars: DailyBars, signal: AbortSignal): Promise<void> {
  const { coins, delayMs = DELAY_MS, intervalMs = INTERVAL_MS, now = Date.now } = options;
  if (!(await pause(delayMs, signal))) return;
  for (;;) {
    const due = bars.due(coins(), now(), REQUESTS_PER_LOOK);
    const hasFailed = !(await sendAll(options, bars, due, signal, now));
    // With more to request, the next look follows at once. A request is due again only after a while.
    const isDone = hasFailed || due.length < REQUESTS_PER_LOOK;
    if (signal.aborted || (isDone && !(await pause(intervalMs, signal)))) return;
  }
}

/** Sends requests one by one. Resolves with false if it was closed, or if several in a row failed. */
async function sendAll(
  { context, send }: DailyBarsOptions,
  bars: DailyBars,
  due: ReturnType<DailyBars['due']>,
  signal: AbortSignal,
  now: () => number,
): Promise<boolean> {
  let failures = 0;
  for (const one of due) {
    const request = snapshotRequest(one.coin, '5m', one.day, one.day + DAY_MS, now());
    try {
      await send(JSON.stringify(request), signal, infoWeightMax(request));
      bars.answered(one, now());
      failures = 0;
    } catch (error) {
      if (signal.aborted) return false;
      // What the venue rejects, it rejects again.
      if (error instanceof UpstreamError && !error.canRetry) bars.answered(one, now());
      else bars.failed(one, now());
      const level = error instanceof UpstreamError ? 'debug' : 'error';
      context.logger[level]({ error, ...one }, 'could not request the 5-minute bars of a day, retrying');
      failures += 1;
      if (failures === FAILURES_MAX) return false;
    }
  }
  return true;
}
