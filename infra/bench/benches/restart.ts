/**
 * How long does a service that was killed need until it is ready again? It holds minutes of a simulated world of 3,000
 * events a second, played into it as a recording, then receives the same world live for some seconds and is killed
 * (SIGKILL). Measured is the time from the start of the next process until `/health` answers 200, which it does when every
 * part is ready and no stage is more than a few seconds behind. There is no baseline.
 *
 * What would skew it: a stop in good order, which saves where everything stood (it is killed); a start that waits for
 * nothing (the simulator goes on with 3,000 events a second, and what was received but not derived before the kill is
 * worked off); the part of the start that is Node's own (it counts). A service that is not ready after two minutes counts
 * as two minutes.
 *
 * `PARALLAX_BENCH_SECONDS` (120) says how many seconds of the world it holds.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSimulatedRecording } from '../../simulator/recording/write-simulated-recording.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { benchSeconds } from '../bench-seconds.ts';
import { freePort } from '../service/free-port.ts';
import { type HealthSeen, healthWithin } from '../service/read-health.ts';
import { newToken, type ServiceOptions, spawnService } from '../service/start-service.ts';

const RATE = 3_000;
const SECONDS = benchSeconds(120);
const SECOND_MS = 1_000;
const HOUR_SECONDS = 3_600;
/** For playing the recording: a tenth of the pace at which the world happened. */
const FILL_TIMEOUT_MS = SECONDS * 10 * SECOND_MS + 60_000;
const READY_TIMEOUT_MS = 120_000;
const LIVE_MS = 10_000;

export interface RestartSize {
  readonly rate: number;
  /** Of the world that it holds. */
  readonly seconds: number;
  /** Between the first live start and the kill. */
  readonly liveMs: number;
}

export const restart: Bench = {
  aims: { restart: { valueMaxMs: 10_000 } },
  limitMs: FILL_TIMEOUT_MS + 2 * READY_TIMEOUT_MS + LIVE_MS + 60_000,
  run: (context) => measureRestart(context, { rate: RATE, seconds: SECONDS, liveMs: LIVE_MS }),
};

export async function measureRestart(
  { folder, onProgress }: BenchContext,
  { rate, seconds, liveMs }: RestartSize,
): Promise<BenchResult[]> {
  const recording = join(folder, 'recording');
  await writeSimulatedRecording({
    seed: 1,
    rate,
    events: 20,
    coins: 50,
    hours: seconds / HOUR_SECONDS,
    out: recording,
    startMs: Date.now() - seconds * SECOND_MS,
    gzip: false,
  });
  onProgress(0.1);
  const same = { dataDir: join(folder, 'service'), token: newToken() };
  const filled = await runUntil({ ...same, world: ['--venues', `recording:${recording}`] }, isFilled, FILL_TIMEOUT_MS);
  if (filled === null) throw new Error(`the recording did not play within ${FILL_TIMEOUT_MS} ms`);
  onProgress(0.6);
  const live = { ...same, world: ['--venues', 'sim', '--sim-rate', String(rate)] };
  await runUntil(live, isReady, READY_TIMEOUT_MS, liveMs);
  onProgress(0.8);
  const ms = await runUntil(live, isReady, READY_TIMEOUT_MS);
  return [{ name: 'restart', value: ms ?? READY_TIMEOUT_MS, unit: 'ms', baseline: null, ratio: null }];
}

/** All of the recording is in the log, and every stage is near its end. */
function isFilled({ isOk, playback, stagesBehind }: HealthSeen): boolean {
  return isOk && playback === 'ended' && stagesBehind === 0;
}

function isReady({ isOk }: HealthSeen): boolean {
  return isOk;
}

/**
 * Starts a service, waits until its health is as asked, lets it run on, and kills it. Gives the milliseconds from its start
 * until then; null when that took longer than the limit.
 */
async function runUntil(
  options: ServiceOptions,
  isThere: (health: HealthSeen) => boolean,
  timeoutMs: number,
  runOnMs = 0,
): Promise<number | null> {
  const httpPort = await freePort();
  const began = performance.now();
  const service = spawnService({ ...options, httpPort });
  try {
    const isIn = await healthWithin(httpPort, { isThere, timeoutMs });
    const ms = performance.now() - began;
    await sleep(runOnMs);
    return isIn ? ms : null;
  } finally {
    await service.kill();
  }
}
