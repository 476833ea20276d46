/**
 * Does the spreads stage keep up with 20,000 book updates a second for 10,000 universal events, on one core, and does its
 * memory stay flat? Second by second, the updates of one second are put into the embedded log, and the stage, run as it
 * always is (merged order, codec, outputs back into the log, snapshots), takes them. The rate is all updates over the
 * time from the first byte written until the stage stood at the end of the second, added up, so writing the input counts
 * as well. Where that took less than the second, the rest of it is slept, so that it runs as long as it says, with
 * whatever comes by the clock: snapshots, collections of garbage. `spreads-cpu` is the same over the processor time that the
 * whole process used meanwhile, its threads that collect garbage and sync to the disk included: what other programs on the
 * machine take away does not show in it. The baseline of both is the rate asked for.
 *
 * What would skew it: making the updates (done beforehand, not counted); other work of the process (there is none, but
 * the log's own threads sync to the disk); books that never change at the top, for which nothing is worked out
 * (`spreads/book-world.ts` says what they do). Memory is what the heap and buffers hold after a collection, at the end
 * against the beginning: before it the books are filled by as many updates as it takes until as many levels go as come.
 *
 * `PARALLAX_BENCH_SECONDS` (20) says how long; 600 write about 6 GB into the log.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSpreadsStage } from '#processors/spreads/stage';
import { type RunningStage, runStage } from '../../stages/run-stage.ts';
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
/** Seconds of updates, fed as fast as they are taken, after which books grow no more. */
const WARM_UP_SECONDS = 40;
const HELD_LOOKS = 5;
const HELD_LOOK_MS = 400;
const MIB = 2 ** 20;
const BEGINS_MS = Date.UTC(2026, 0, 15, 12);

export const spreads: Bench = {
  aims: { spreads: { ratioMin: 1 }, 'spreads-cpu': { ratioMin: 1 }, 'spreads-memory': null },
  limitMs: (SECONDS * 3 + 4 * WARM_UP_SECONDS + 120) * SECOND_MS,
  run: (context) => measureSpreads(context, { events: EVENTS, rate: RATE, seconds: SECONDS }),
};

export interface SpreadsBenchOptions {
  readonly events: number;
  /** Book updates a second. */
  readonly rate: number;
  readonly seconds: number;
}

/** Exported for tests, which measure less. */
export async function measureSpreads(
  { folder, onProgress }: BenchContext,
  { events, rate, seconds }: SpreadsBenchOptions,
): Promise<BenchResult[]> {
  const context = await openLogContext(join(folder, 'log'));
  try {
    const feed = await openBookFeed(context, { events, rate, beginsMs: BEGINS_MS });
    const stage = createSpreadsStage({ arbitrageSize: '100' });
    const running = await runStage({ stage, ...context });
    try {
      await feed.begin();
      await takenUntil(running, BEGINS_MS);
      for (let second = 0; second < WARM_UP_SECONDS; second += 1) await takeSecond(feed, running);
      const held = await leastHeldBytes();
      const measured = { units: 0, ms: 0, cpuMs: 0 };
      for (let second = 0; second < seconds; second += 1) {
        const { units, ms, cpuMs } = await takeSecond(feed, running);
        measured.units += units;
        measured.ms += ms;
        measured.cpuMs += cpuMs;
        onProgress((second + 1) / seconds);
        await sleep(Math.max(0, SECOND_MS - ms));
      }
      const growth = ((await leastHeldBytes()) - held) / MIB;
      return [
        rateResult('spreads', 'events/s', { subject: rateOf(measured), baseline: rate }),
        rateResult('spreads-cpu', 'events/s', {
          subject: rateOf({ units: measured.units, ms: measured.cpuMs }),
          baseline: rate,
        }),
        { name: 'spreads-memory', value: growth, unit: 'MiB', baseline: held / MIB, ratio: null },
      ];
    } finally {
      await running.close();
    }
  } finally {
    await context.log.close();
  }
}

interface TakenSecond {
  readonly units: number;
  readonly ms: number;
  readonly cpuMs: number;
}

/** Feeds one second and waits until it is taken. */
async function takeSecond(feed: BookFeed, running: RunningStage<unknown>): Promise<TakenSecond> {
  const prepared = await feed.prepare(SECOND_MS);
  const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
  await takenUntil(running, await prepared.write());
  const { user, system } = process.cpuUsage(cpuBefore);
  return { units: prepared.updates, ms: performance.now() - began, cpuMs: (user + system) / 1_000 };
}

/** Waits until everything before a time is taken. Throws when the stage ended before. */
async function takenUntil(running: RunningStage<unknown>, time: number): Promise<void> {
  let over = false;
  const ended = running.stopped.finally(() => {
    over = true;
  });
  ended.catch(() => {});
  while (running.position() < time) {
    if (over) await ended.then(() => Promise.reject(new Error('the stage has ended by itself')));
    await sleep(POLL_MS);
  }
}

/** What is held whatever else is under way: the copy of the state that a snapshot writes comes and goes. */
async function leastHeldBytes(): Promise<number> {
  let least = heldBytes();
  for (let look = 1; look < HELD_LOOKS; look += 1) {
    await sleep(HELD_LOOK_MS);
    least = Math.min(least, heldBytes());
  }
  return least;
}

/** What the heap and buffers outside of it hold, after a collection of garbage. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
