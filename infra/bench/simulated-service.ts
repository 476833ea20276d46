/** What benchmarks start from: the ports of a service on a folder of their own, and a log of simulated raw records. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { start as startIngest } from '#ingest/start';
import { createStages } from '#processors/stages';
import { openPorts, type Ports } from '../cli/ports.ts';
import { loadSettings } from '../config/settings.ts';
import type { RoleContext } from '../context.ts';
import { formatToken, mintToken } from '../control/token.ts';
import { writeSimulatedRecording } from '../simulator/recording/write-simulated-recording.ts';
import type { Injection } from '../simulator/world/injections.ts';
import { runStage } from '../stages/run-stage.ts';
import { createHealth } from '../telemetry/health.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';

/** For a day of a world on a machine that does much else. */
const PLAYBACK_TIMEOUT_MS = 600_000;
const POLL_MS = 20;
const HOUR_SECONDS = 3_600;
const WORLD_BEGINS_MS = Date.UTC(2026, 0, 15, 12, 10);

/** Which world; the same options give the same records. */
export interface WorldOptions {
  readonly folder: string;
  /** Simulated events a second, and for how long. */
  readonly rate: number;
  readonly seconds: number;
  /** venue_a's coins; 50 when left out. */
  readonly coins?: number;
  /** The world's first moment, unix ms; always the same when left out, so that every run measures the same bytes. */
  readonly beginsMs?: number;
  /** What happens on purpose; nothing when left out. */
  readonly inject?: readonly Injection[];
}

/** A context for roles, not a role started yet. */
export interface OpenWorld {
  readonly context: RoleContext;
  /** An admin key that the roles seed. */
  readonly token: string;
  close(): Promise<void>;
}

/** An empty service in a folder. @param venues as `--venues` takes it. */
export async function openService(folder: string, venues = 'sim'): Promise<OpenWorld> {
  await mkdir(folder, { recursive: true });
  const token = formatToken(mintToken());
  const flags = ['--data-dir', folder, '--venues', venues, '--http-port', '0', '--ws-port', '0'];
  const settings = loadSettings(flags, { PARALLAX_ADMIN_TOKEN: token });
  const ports: Ports = await openPorts(settings);
  const logger = createLogger('error');
  const context = { settings, ...ports, logger, metrics: createMetrics(), health: createHealth() };
  return { context, token, close: () => ports.close() };
}

/** A service whose log holds the raw records of a simulated world, brought there by the ingest role. */
export async function openWorld(options: WorldOptions): Promise<OpenWorld> {
  const { folder, rate, seconds, coins = 50, beginsMs = WORLD_BEGINS_MS, inject = [] } = options;
  const recording = join(folder, 'recording');
  const shape = { seed: 1, events: 20, coins, gzip: false };
  await writeSimulatedRecording({
    ...shape,
    rate,
    hours: seconds / HOUR_SECONDS,
    out: recording,
    startMs: beginsMs,
    inject,
  });
  const world = await openService(join(folder, 'service'), `recording:${recording}`);
  try {
    const ingest = await startIngest(world.context);
    await playedToItsEnd(world.context);
    await ingest.close();
  } catch (error) {
    await world.close();
    throw error;
  }
  return world;
}

/** Runs every processor over what the log holds. Gives the records that each took, added up. */
export async function processAll({ settings, log, codec, logger, metrics }: RoleContext): Promise<number> {
  let stepped = 0;
  for (const stage of createStages(settings)) {
    let taken = 0;
    const onProgress = (records: number) => {
      taken = records;
    };
    const running = await runStage({ stage, log, codec, logger, metrics, mode: 'rebuild', onProgress });
    await running.stopped;
    stepped += taken;
  }
  return stepped;
}

async function playedToItsEnd({ health }: RoleContext): Promise<void> {
  const deadline = Date.now() + PLAYBACK_TIMEOUT_MS;
  for (;;) {
    const { playback } = health.report().extras;
    if (playback === 'ended') return;
    if (playback === 'failed' || Date.now() > deadline)
      throw new Error(`the simulated recording did not play: ${playback}`);
    await sleep(POLL_MS);
  }
}
