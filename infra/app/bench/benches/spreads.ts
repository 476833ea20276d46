/**
 * Rate and memory of the spreads stage at 20,000 book updates a second for 10,000 universal events on one core. For
 * each second, its updates are appended to the embedded log, and the stage processes them as in the service (merge,
 * codec, outputs to the log, snapshots). `spreads` is the number of updates divided by the time from the first append
 * until the stage has reached the end of the second, so it includes the appends. The rest of each second is slept, so
 * that snapshots and garbage collections happen as in the service. `spreads-cpu` is the same divided by the processor
 * time of the whole process, including its threads for garbage collection and disk sync, so other programs on the
 * machine do not affect it. The baseline of both is the input rate.
 *
 * Sources of error: generating the updates (done before and not counted); other work of the process (none, except the
 * disk sync of the log); books whose top never changes, which need no calculation (`spreads/synthetic-books.ts`
 * describes the updates). `spreads-memory` is the growth of heap and buffers after a garbage collection. A warm-up
 * fills the books before, until their number of levels is stable.
 *
 * `PARALLAX_BENCH_SECONDS` (20) is the duration; 600 seconds write about 6 GB into the log.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSpreadsStage } from '#processors/spreads/stage';
import { type RunningStage, runStage } from '../../../stages/run-stage.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { benchSeconds } from '../bench-seconds.ts';
import { rateOf, rateResult } from '../measure.ts';
import { type BookFeed, openBookFeed } from '../spreads/book-feed.ts';
import { openLogContext } from '../webhooks/open-log.ts';

const EVENTS = 10_000;
const RATE = 20_000;
const SECONDS = benchSeconds(20);
const SECOND_MS = 1_000;
const POLL_MS = 2;
/** Seconds of updates after which the books no longer grow; appended as fast as they are processed. */
const WARM_UP_SECONDS = 40;
const HEAP_SAMPLES = 5;
const HEAP_SAMPLE_MS = 400;
const MIB = 2 ** 20;
const BEGINS_MS = Date.UTC(2026, 0, 15, 12);

export const spreads: Bench = {
  aims: { spreads: { ratioMin: 1 }, 'spreads-cpu': { ratioMin: 1 }, 'spreads-memory': null },
  limitMs: (SECONDS * 3 + 4 * WARM_UP_SECONDS + 120) * SECOND_MS,
  run: (context) => measureSpreads(context, { events: EVENTS, rate: RATE, seconds: SECONDS }),
};

export interface SpreadsBenchOptions {
  readonly events: number;
  /** Book updates per second. */
  readonly rate: number;
  readonly seconds: number;
}

/** Exported for tests, which use a smaller size. */
export async function measureSpreads(
  { folder, onProgress }: BenchContext,
  { events, rate, seconds }: SpreadsBenchOptions,
): Promise<BenchResult[]> {
  const context = await openLogContext(join(folder, 'log'));
  try {
    const feed = await openBookFeed(context, { events, rate, startMs: BEGINS_MS });
    const stage = createSpreadsStage({ arbitrageSize: '100' });
    const running = await runStage({ stage, ...context });
    try {
      await feed.writeEvents();
      await processedUntil(running, BEGINS_MS);
      for (let second = 0; second < WARM_UP_SECONDS; second += 1) await processSecond(feed, running);
      const heapBefore = await minHeapBytes();
      const measured = { units: 0, ms: 0, cpuMs: 0 };
      for (let second = 0; second < seconds; second += 1) {
        const { units, ms, cpuMs } = await processSecond(feed, running);
        measured.units += units;
        measured.ms += ms;
        measured.cpuMs += cpuMs;
        onProgress((second + 1) / seconds);
        await sleep(Math.max(0, SECOND_MS - ms));
      }
      const growth = ((await minHeapBytes()) - heapBefore) / MIB;
      return [
        rateResult('spreads', 'events/s', { subject: rateOf(measured), baseline: rate }),
        rateResult('spreads-cpu', 'events/s', {
          subject: rateOf({ units: measured.units, ms: measured.cpuMs }),
          baseline: rate,
        }),
        { name: 'spreads-memory', value: growth, unit: 'MiB', baseline: heapBefore / MIB, ratio: null },
      ];
    } finally {
      await running.close();
    }
  } finally {
    await context.log.close();
  }
}

interface ProcessedSecond {
  readonly units: number;
  readonly ms: number;
  readonly cpuMs: number;
}

/** Appends the updates of one second and waits until they are processed. */
async function processSecond(feed: BookFeed, running: RunningStage<unknown>): Promise<ProcessedSecond> {
  const prepared = await feed.prepare(SECOND_MS);
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
  await processedUntil(running, await prepared.write());
  const { user, system } = process.cpuUsage(cpuBefore);
  return { units: prepared.updates, ms: performance.now() - startedAt, cpuMs: (user + system) / 1_000 };
}

/** Waits until the stage has processed everything before a time. Throws if the stage stops. */
async function processedUntil(running: RunningStage<unknown>, time: number): Promise<void> {
  let hasStopped = false;
  const ended = running.stopped.finally(() => {
    hasStopped = true;
  });
  ended.catch(() => {});
  while (running.position() < time) {
    if (hasStopped) await ended.then(() => Promise.reject(new Error('the stage has stopped')));
    await sleep(POLL_MS);
  }
}

/** Lowest of several samples, since a snapshot holds a copy of the state for a while. */
async function minHeapBytes(): Promise<number> {
  let least = heapBytes();
  for (let sample = 1; sample < HEAP_SAMPLES; sample += 1) {
    await sleep(HEAP_SAMPLE_MS);
    least = Math.min(least, heapBytes());
  }
  return least;
}

/** Bytes of the heap and of external buffers after a garbage collection. */
function heapBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
