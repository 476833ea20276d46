/**
 * How long does a service that was killed need until it is ready again? It receives a simulated world of 3,000 events a
 * second, with the simulator in it as `npm start` has it, and is killed (SIGKILL). Measured is the time from the start of
 * the next process on the same data directory until `/health` answers 200, which it does when every part is ready and no
 * stage is more than a few seconds behind. There is no baseline.
 *
 * What would skew it: a stop in good order, which saves where everything stood (it is killed); a start that waits for
 * nothing (the simulator goes on with 3,000 events a second, and what was received but not derived before the kill is
 * worked off); a first start that was not ready, which leaves more behind than a service that keeps up (`sustained-lag`
 * shows that); few data (the figure that is asked for is that of ten minutes). The start of Node itself counts. A service
 * that is not ready after two minutes counts as two minutes; one that ends before is an error.
 *
 * `PARALLAX_BENCH_SECONDS` (60) says how long it runs before it is killed.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { benchSeconds } from '../bench-seconds.ts';
import { freePort } from '../service/free-port.ts';
import { isReadyWithin } from '../service/read-health.ts';
import { newToken, type ServiceOptions, spawnService } from '../service/start-service.ts';

const SECONDS = benchSeconds(60);
const SECOND_MS = 1_000;
const READY_TIMEOUT_MS = 120_000;

export interface RestartSize {
  /** Simulated events a second. */
  readonly rate: number;
  /** For which the first process runs on once it is ready. */
  readonly seconds: number;
}

export const restart: Bench = {
  aims: { restart: { valueMaxMs: 10_000 } },
  limitMs: SECONDS * SECOND_MS + 2 * READY_TIMEOUT_MS + 60_000,
  run: (context) => measureRestart(context, { rate: 3_000, seconds: SECONDS }),
};

/** Exported for short runs. */
export async function measureRestart(
  { folder, onProgress }: BenchContext,
  { rate, seconds }: RestartSize,
): Promise<BenchResult[]> {
  const world = ['--venues', 'sim', '--sim-rate', String(rate)];
  const options = { dataDir: join(folder, 'service'), token: newToken(), world };
  await msUntilReady(options, async () => {
    for (let second = 0; second < seconds; second += 1) {
      onProgress(second / (seconds + 1));
      await sleep(SECOND_MS);
    }
  });
  const ms = await msUntilReady(options, async () => {});
  return [{ name: 'restart', value: ms, unit: 'ms', baseline: null, ratio: null }];
}

/** Starts a service, waits until it is ready, lets it run on, and kills it. Gives the milliseconds until it was ready. */
async function msUntilReady(options: ServiceOptions, runOn: () => Promise<void>): Promise<number> {
  const httpPort = await freePort();
  const began = performance.now();
  const service = spawnService({ ...options, httpPort });
  try {
    const isReady = await isReadyWithin(service, httpPort, READY_TIMEOUT_MS);
    const ms = isReady ? performance.now() - began : READY_TIMEOUT_MS;
    await runOn();
    return ms;
  } finally {
    await service.kill();
  }
}
