/**
 * How much memory does the service take at the default rate, and does it stay flat? `footprint-memory` is the anonymous
 * memory of the service's process (RssAnon: heaps, buffers, caches of the store) at the end, the median of the last
 * samples; `footprint-memory-growth` is by how much it grew a minute over the second half. There is no baseline.
 *
 * What would skew it: pages of files, as of the log, which the system takes back when it needs them (they are not
 * anonymous; systems other than Linux count them, since they cannot tell the two apart); the simulator, which runs in the
 * service as with `npm start` and counts; a heap just before or after a collection of garbage (the median of ten samples, a
 * straight line through all); a short run, in which caches still fill: the figure that is asked for is that of an hour.
 *
 * `PARALLAX_BENCH_SECONDS` (60) says how long it runs; 3600 is the hour.
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
    const service = await startService({ dataDir: join(folder, 'service'), world: ['--venues', 'sim'] });
    try {
      const samples: number[] = [];
      const began = performance.now();
      for (let second = 1; second <= SECONDS; second += 1) {
        await sleep(Math.max(0, began + second * SECOND_MS - performance.now()));
        samples.push((await readUsage(service.pid)).memoryMib);
        onProgress(second / SECONDS);
      }
      return resultsOf(samples);
    } finally {
      await service.stop();
    }
  },
};

/** @param samples MiB, one a second. */
export function resultsOf(samples: readonly number[]): BenchResult[] {
  const alone = { baseline: null, ratio: null };
  const growth = slopeOf(samples.slice(Math.floor(samples.length / 2))) * SECONDS_PER_MINUTE;
  return [
    { name: 'footprint-memory', value: median(samples.slice(-LAST_SAMPLES)), unit: 'MiB', ...alone },
    { name: 'footprint-memory-growth', value: growth, unit: 'MiB/min', ...alone },
  ];
}
