/**
 * Memory of the service at the default rate, and its growth. `footprint-memory` is the anonymous memory of the
 * service's process at the end (RssAnon: heaps, buffers, caches of the store), as the median of the last samples.
 * `footprint-memory-growth` is its growth per minute over the second half. There is no baseline.
 *
 * Sources of error: mapped file pages, as of the log, which the system can reclaim (they are not anonymous, but systems
 * other than Linux count them, since they do not separate the two); the simulator, which runs in the service as with
 * `npm start` and is counted; samples just before or after a garbage collection (hence a median of ten samples and a
 * regression line); a short run, in which caches still fill: the intended duration is an hour.
 *
 * `PARALLAX_BENCH_SECONDS` (60) is the duration; 3600 for an hour.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { benchSeconds } from '../bench-seconds.ts';
import { readUsage, slopeOf } from '../service/process-usage.ts';
import { startService } from '../service/start-service.ts';
import { median } from '../statistics.ts';

const SECONDS = benchSeconds(60);
const SECOND_MS = 1_000;
const LAST_SAMPLES = 10;
const SECONDS_PER_MINUTE = 60;

export const footprintMemory: Bench = {
  aims: { 'footprint-memory': { valueMax: 600 }, 'footprint-memory-growth': null },
  limitMs: SECONDS * SECOND_MS + 180_000,
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const service = await startService({ dataDir: join(folder, 'service'), sourceFlags: ['--venues', 'sim'] });
    try {
      const samples: number[] = [];
      const startedAt = performance.now();
      for (let second = 1; second <= SECONDS; second += 1) {
        await sleep(Math.max(0, startedAt + second * SECOND_MS - performance.now()));
        samples.push((await readUsage(service.pid)).memoryMib);
        onProgress(second / SECONDS);
      }
      return resultsOf(samples);
    } finally {
      await service.stop();
    }
  },
};

/** @param samples MiB, one per second. */
export function resultsOf(samples: readonly number[]): BenchResult[] {
  const alone = { baseline: null, ratio: null };
  const growth = slopeOf(samples.slice(Math.floor(samples.length / 2))) * SECONDS_PER_MINUTE;
  return [
    { name: 'footprint-memory', value: median(samples.slice(-LAST_SAMPLES)), unit: 'MiB', ...alone },
    { name: 'footprint-memory-growth', value: growth, unit: 'MiB/min', ...alone },
  ];
}
