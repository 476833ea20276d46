/**
 * Processor time of a running service per 1,000 raw records: user and system time of all threads of its process, at the
 * default rate of about 300 raw records a second and at 3,000. The simulator is a separate process that is not counted,
 * and there are no subscribers and readers. The baseline is a replay at the same rate: every stage and the sink process
 * records that are already in the log, so the ratio is the cost of records that arrive one by one.
 *
 * Sources of error: a service that does not keep up has processed only a part of its records (`sustained` shows that);
 * the start (the first 10 s are not counted); a different mix of records (mids, contexts and blocks depend on time, so
 * each rate has its own replay); compilation during the measurement (the replay includes it as well). Appending and
 * compressing records counts for the service and not for the replay.
 *
 * `PARALLAX_BENCH_SECONDS` (20) is the duration at each rate.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runSinkOnce } from '#processors/sink/run-sink-once';
import { migrate } from '../../../store/migrate.ts';
import { openSimulatedService, processAll } from '../../simulated-service.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { benchSeconds } from '../bench-seconds.ts';
import { readRawRecords } from '../raw-records.ts';
import { readUsage } from '../service/process-usage.ts';
import { readRawRecordCount, startService } from '../service/start-service.ts';
import { spawnProgram } from '../threads/start-process.ts';

const SECONDS = benchSeconds(20);
const SECOND_MS = 1_000;
const STEP_MS = 250;

export interface CpuSize {
  readonly name: string;
  /** Simulated events per second. */
  readonly rate: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Duration of the replayed recording. */
  readonly replaySeconds: number;
}

const SIZES: readonly CpuSize[] = [
  { name: 'footprint-cpu-300', rate: 180, warmUpSeconds: 10, seconds: SECONDS, replaySeconds: 240 },
  { name: 'footprint-cpu-3000', rate: 1_800, warmUpSeconds: 10, seconds: SECONDS, replaySeconds: 30 },
];

export const footprintCpu: Bench = {
  aims: Object.fromEntries(SIZES.map(({ name }) => [name, null])),
  limitMs: SIZES.length * (SECONDS * SECOND_MS + 240_000),
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const results: BenchResult[] = [];
    for (const [nth, size] of SIZES.entries()) {
      const report = (share: number) => onProgress((nth + share) / SIZES.length);
      results.push(await measureCpu({ folder: join(folder, size.name), onProgress: report }, size));
    }
    return results;
  },
};

/** Exported for tests, which measure for a shorter time. */
export async function measureCpu({ folder, onProgress }: BenchContext, size: CpuSize): Promise<BenchResult> {
  const baseline = await replayCost(join(folder, 'replay'), size);
  onProgress(0.5);
  const value = await liveCost(join(folder, 'live'), size, (share) => onProgress(0.5 + share / 2));
  return { name: size.name, value, unit: 's/1,000 records', baseline, ratio: value / baseline };
}

async function replayCost(folder: string, { rate, replaySeconds }: CpuSize): Promise<number> {
  const simulated = await openSimulatedService({ folder, rate, seconds: replaySeconds });
  try {
    const records = (await readRawRecords(simulated.context.log)).length;
    await migrate(simulated.context.store);
    const before = process.cpuUsage();
    await processAll(simulated.context);
    await runSinkOnce(simulated.context);
    const { user, system } = process.cpuUsage(before);
    return costOf((user + system) / 1e6, records);
  } finally {
    await simulated.close();
  }
}

async function liveCost(folder: string, size: CpuSize, onProgress: (share: number) => void): Promise<number> {
  const { rate, warmUpSeconds, seconds } = size;
  const simulator = spawnProgram('simulator', [String(rate)]);
  try {
    const env = JSON.parse(await simulator.line('URLs')) as Record<string, string>;
    // With every URL set, `live` connects to the simulator; `sim` would start another one in the service.
    const service = await startService({ dataDir: folder, sourceFlags: ['--venues', 'live'], env });
    try {
      await sleep(warmUpSeconds * SECOND_MS);
      const sample = async () => ({ ...(await readUsage(service.pid)), records: await readRawRecordCount(service) });
      const [before, startedAt] = [await sample(), performance.now()];
      for (let elapsed = 0; elapsed < seconds * SECOND_MS; elapsed = performance.now() - startedAt) {
        onProgress(elapsed / (seconds * SECOND_MS));
        await sleep(STEP_MS);
      }
      const after = await sample();
      return costOf(after.cpuSeconds - before.cpuSeconds, after.records - before.records);
    } finally {
      await service.stop();
    }
  } finally {
    await simulator.stop();
  }
}

/** Processor seconds per 1,000 records. Throws if there was nothing to measure. */
export function costOf(cpuSeconds: number, records: number): number {
  if (!(cpuSeconds > 0 && records > 0))
    throw new RangeError(`cannot calculate a cost from ${cpuSeconds} s for ${records} records`);
  return (cpuSeconds * 1_000) / records;
}
