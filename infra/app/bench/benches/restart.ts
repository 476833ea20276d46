/**
 * Time until a killed service is ready again. The service receives 3,000 simulated events a second from the simulator
 * in its process, as with `npm start`, and is killed by SIGKILL. The result is the time from the start of the next
 * process on the same data directory until `/health` returns 200, which it does when every part is ready and no stage
 * lags by more than a few seconds. There is no baseline.
 *
 * Sources of error: a clean stop, which saves all positions (it is killed); a start without load (the simulator keeps
 * sending 3,000 events a second, and the backlog from before the kill is processed); a first process that did not keep
 * up and left a larger backlog (`sustained-lag` shows that); little data (the intended duration is ten minutes). The
 * start of Node itself is included. A service that is not ready after two minutes counts as two minutes; one that exits
 * is an error.
 *
 * `PARALLAX_BENCH_SECONDS` (60) is the time before the kill.
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

interface RestartSize {
  /** Simulated events per second. */
  readonly rate: number;
  /** Time for which the first process runs after it is ready. */
  readonly seconds: number;
}

export const restart: Bench = {
  aims: { restart: { valueMaxMs: 10_000 } },
  limitMs: SECONDS * SECOND_MS + 2 * READY_TIMEOUT_MS + 60_000,
  run: (context) => measureRestart(context, { rate: 3_000, seconds: SECONDS }),
};

/** Exported for shorter runs. */
async function measureRestart(
  { folder, onProgress }: BenchContext,
  { rate, seconds }: RestartSize,
): Promise<BenchResult[]> {
  const sourceFlags = ['--venues', 'sim', '--sim-rate', String(rate)];
  const options = { dataDir: join(folder, 'service'), token: newToken(), sourceFlags };
  await msUntilReady(options, async () => {
    for (let second = 0; second < seconds; second += 1) {
      onProgress(second / (seconds + 1));
      await sleep(SECOND_MS);
    }
  });
  const ms = await msUntilReady(options, async () => {});
  return [{ name: 'restart', value: ms, unit: 'ms', baseline: null, ratio: null }];
}

/**
 * Starts a service, waits until it is ready, calls `runOn` and kills the service. Returns the ms until it was ready.
 */
async function msUntilReady(options: ServiceOptions, runOn: () => Promise<void>): Promise<number> {
  const httpPort = await freePort();
  const startedAt = performance.now();
  const service = spawnService({ ...options, httpPort });
  try {
    const isReady = await isReadyWithin(service, httpPort, READY_TIMEOUT_MS);
    const ms = isReady ? performance.now() - startedAt : READY_TIMEOUT_MS;
    await runOn();
    return ms;
  } finally {
    await service.kill();
  }
}
