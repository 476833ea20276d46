/**
 * How much processor time does a running service take for what it receives? Seconds of user and system time of all threads
 * of the service's process for 1,000 raw records, at the default rate of about 300 raw records a second and at 3,000. The
 * simulator is a process of its own that is not counted; nobody subscribes or reads. The baseline is a replay of a world
 * of the same rate: every stage and the sink over records that are in the log already, so the ratio says what arriving
 * little by little costs.
 *
 * What would skew it: a service that does not keep up, which has not yet paid for all that it received (`sustained`
 * shows that); the start (the first 10 s are not counted); a world with another mix (mids, contexts and blocks come by
 * time, so each rate has a replay of its own); code that is compiled during the measurement (a replay of a minute pays for
 * that as well). Taking records in and compressing them is part of the service's share and not of the replay's.
 *
 * `PARALLAX_BENCH_SECONDS` (20) says how long it measures at each rate.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runSinkOnce } from '#processors/sink/run-sink-once';
import { migrate } from '../../store/migrate.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { benchSeconds } from '../bench-seconds.ts';
import { openWorld, processAll } from '../open-world.ts';
import { readRawRecords } from '../raw-records.ts';
import { readUsage } from '../service/process-usage.ts';
import { rawRecordsOf, startService } from '../service/start-service.ts';
import { spawnProgram } from '../threads/start-process.ts';

const SECONDS = benchSeconds(20);
const SECOND_MS = 1_000;
const STEP_MS = 250;

export interface CpuSize {
  readonly name: string;
  /** Simulated events a second. */
  readonly rate: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Length of the world that is replayed. */
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
      const tell = (share: number) => onProgress((nth + share) / SIZES.length);
      results.push(await measureCpu({ folder: join(folder, size.name), onProgress: tell }, size));
    }
    return results;
  },
};

/** Exported for tests, which measure less. */
export async function measureCpu({ folder, onProgress }: BenchContext, size: CpuSize): Promise<BenchResult> {
  const baseline = await replayCost(join(folder, 'replay'), size);
  onProgress(0.5);
  const value = await liveCost(join(folder, 'live'), size, (share) => onProgress(0.5 + share / 2));
  return { name: size.name, value, unit: 's/1,000 records', baseline, ratio: value / baseline };
}

async function replayCost(folder: string, { rate, replaySeconds }: CpuSize): Promise<number> {
  const world = await openWorld({ folder, rate, seconds: replaySeconds });
  try {
    const records = (await readRawRecords(world.context.log)).length;
    await migrate(world.context.store);
    const before = process.cpuUsage();
    await processAll(world.context);
    await runSinkOnce(world.context);
    const { user, system } = process.cpuUsage(before);
    return costOf((user + system) / 1e6, records);
  } finally {
    await world.close();
  }
}

async function liveCost(folder: string, size: CpuSize, onProgress: (share: number) => void): Promise<number> {
  const { rate, warmUpSeconds, seconds } = size;
  const simulator = spawnProgram('simulator', [String(rate)]);
  try {
    const env = JSON.parse(await simulator.line('URLs')) as Record<string, string>;
    // With every URL given, `live` means the simulator; `sim` would start another one in the service.
    const service = await startService({ dataDir: folder, world: ['--venues', 'live'], env });
    try {
      await sleep(warmUpSeconds * SECOND_MS);
      const look = async () => ({ ...(await readUsage(service.pid)), records: await rawRecordsOf(service) });
      const [before, began] = [await look(), performance.now()];
      for (let elapsed = 0; elapsed < seconds * SECOND_MS; elapsed = performance.now() - began) {
        onProgress(elapsed / (seconds * SECOND_MS));
        await sleep(STEP_MS);
      }
      const after = await look();
      return costOf(after.cpuSeconds - before.cpuSeconds, after.records - before.records);
    } finally {
      await service.stop();
    }
  } finally {
    await simulator.stop();
  }
}

/** Processor seconds for 1,000 records. Throws when there was nothing to measure. */
export function costOf(cpuSeconds: number, records: number): number {
  if (!(cpuSeconds > 0 && records > 0)) throw new RangeError(`${cpuSeconds} s for ${records} records is no cost`);
  return (cpuSeconds * 1_000) / records;
}
