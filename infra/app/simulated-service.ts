/**
 * Opens the ports of a service in a folder, optionally with a log of simulated raw records, for benchmarks and checks.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { start as startIngest } from '#ingest/start';
import { createStages } from '#processors/stages';
import { loadSettings } from '../config/settings.ts';
import { formatToken, mintToken } from '../control/token.ts';
import type { RoleContext } from '../runtime/context.ts';
import { runStage } from '../stages/run-stage.ts';
import { createHealth } from '../telemetry/health.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { bindSimulatedAccounts } from './bind-simulated-accounts.ts';
import { openPorts, type Ports } from './cli/ports.ts';
import { writeSimulatedRecording } from './simulator/recording/write-simulated-recording.ts';
import type { Injection } from './simulator/world/injections.ts';

/** Enough for a simulated day on a busy machine. */
const PLAYBACK_TIMEOUT_MS = 600_000;
const POLL_MS = 20;
const HOUR_SECONDS = 3_600;
const HOUR_MS = HOUR_SECONDS * 1_000;
/** The world of every simulated service, besides its rate and its number of coins. */
export const SIMULATED_WORLD = { seed: 1, events: 20 } as const;
const DEFAULT_START_MS = Date.UTC(2026, 0, 15, 12, 10);

/** Options of the simulated recording. The same options give the same records. */
export interface SimulationOptions {
  readonly folder: string;
  /** Simulated events per second, for `seconds`. */
  readonly rate: number;
  readonly seconds: number;
  /** venue_a's coins; 50 by default. */
  readonly coins?: number;
  /** Traders on venue_a's leaderboard. By default there is no leaderboard, since hardly any benchmark is about it. */
  readonly traders?: number;
  /** Start of the simulated time, unix ms. The default is constant, so that every run measures the same bytes. */
  readonly startMs?: number;
  /** Injected anomalies; none by default. */
  readonly inject?: readonly Injection[];
  /** True to bind every account of the world before it begins, and to record its states; by default there are no organizations. */
  readonly bindsAccounts?: boolean;
  /** Accounts that are bound on venue_a too, with their fills until the start and the file of a registered builder; none by default. */
  readonly accountFills?: number;
  /** True to record venue_a's bars of the UTC day before; by default there are none. */
  readonly earlierBars?: boolean;
}

/** A context for roles. No role is started. */
export interface SimulatedService {
  readonly context: RoleContext;
  /** Token of the admin key that the roles seed. */
  readonly token: string;
  close(): Promise<void>;
}

/**
 * Opens an empty service in a folder.
 *
 * @param venues value of `--venues`.
 */
export async function openService(folder: string, venues = 'sim'): Promise<SimulatedService> {
  await mkdir(folder, { recursive: true });
  const token = formatToken(mintToken());
  const flags = ['--data-dir', folder, '--venues', venues, '--http-port', '0', '--ws-port', '0'];
  const settings = loadSettings(flags, { PARALLAX_ADMIN_TOKEN: token });
  const ports: Ports = await openPorts(settings);
  const logger = createLogger('error');
  const context = { settings, ...ports, logger, metrics: createMetrics(), health: createHealth() };
  return { context, token, close: () => ports.close() };
}

/** Opens a service whose log holds the raw records of a simulated recording, played by the ingest role. */
export async function openSimulatedService(options: SimulationOptions): Promise<SimulatedService> {
  const { folder, rate, seconds, coins = 50, traders = 0, startMs = DEFAULT_START_MS, inject = [] } = options;
  const { earlierBars = false, bindsAccounts = false, accountFills = 0 } = options;
  const recording = join(folder, 'recording');
  const shape = { ...SIMULATED_WORLD, coins, traders, gzip: false };
  await writeSimulatedRecording({
    ...shape,
    rate,
    hours: seconds / HOUR_SECONDS,
    out: recording,
    startMs,
    inject,
    earlierBars,
    accountFills,
    accountStates: bindsAccounts,
  });
  const service = await openService(join(folder, 'service'), `recording:${recording}`);
  try {
    if (bindsAccounts)
      await bindSimulatedAccounts(service.context, SIMULATED_WORLD.seed, startMs - HOUR_MS, accountFills);
    const ingest = await startIngest(service.context);
    await waitForPlaybackEnd(service.context);
    await ingest.close();
  } catch (error) {
    await service.close();
    throw error;
  }
  return service;
}

/**
 * Runs stages, by default every one, over the current content of the log. Returns the sum of their processed records.
 *
 * @param stages in the order of data flow.
 */
export async function processAll(
  { settings, log, codec, logger, metrics }: RoleContext,
  stages = createStages(settings),
): Promise<number> {
  let total = 0;
  for (const stage of stages) {
    let processed = 0;
    const onProgress = (records: number) => {
      processed = records;
    };
    const running = await runStage({ stage, log, codec, logger, metrics, mode: 'rebuild', onProgress });
    await running.stopped;
    total += processed;
  }
  return total;
}

async function waitForPlaybackEnd({ health }: RoleContext): Promise<void> {
  const deadline = Date.now() + PLAYBACK_TIMEOUT_MS;
  for (;;) {
    const { playback } = health.report().extras;
    if (playback === 'ended') return;
    if (playback === 'failed' || Date.now() > deadline)
      throw new Error(`the simulated recording was not played to its end: ${playback}`);
    await sleep(POLL_MS);
  }
}
