import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSimulation, STEP_MS } from '../simulation.ts';
import { createVenueRecorders } from '../venues/index.ts';
import type { Injection } from '../world/injections.ts';
import { HOUR_MS } from '../world/time.ts';
import { assertWorldTime, createWorld } from '../world/world.ts';
import { createNdjsonFile, type NdjsonFile } from './ndjson-file.ts';

export interface SimulatedRecordingOptions {
  readonly seed: number;
  /** Events per second. */
  readonly rate: number;
  readonly events: number;
  readonly coins: number;
  readonly hours: number;
  /** Folder; created if it does not exist, rejected if it is not empty. */
  readonly out: string;
  /** Simulated start time, unix ms. */
  readonly startMs: number;
  readonly gzip: boolean;
  /** Traders on venue_a's leaderboard; 5,000 by default, and 0 records none. */
  readonly traders?: number;
  /** Accounts that trade on both venues; 400 by default. */
  readonly accounts?: number;
  /** Injected anomalies, for tests of detectors. */
  readonly inject?: readonly Injection[];
  /** True to record venue_a's 5-minute bars of the UTC day before, from which daily rows follow. */
  readonly earlierBars?: boolean;
  /** Accounts whose fills of venue_a until the start are recorded, with the file of a builder of the day before; none by default. */
  readonly accountFills?: number;
  /** True to record what the venues state about every account, after the first hour mark. */
  readonly accountStates?: boolean;
  /** Called with the finished and the total simulated milliseconds. */
  readonly onProgress?: (doneMs: number, allMs: number) => void;
}

export interface RecordingSummary {
  readonly events: number;
  readonly files: readonly { readonly path: string; readonly lines: number; readonly bytes: number }[];
}

/** Thrown if the folder is not empty. */
export class RecordingFolderError extends Error {
  override name = 'RecordingFolderError';
  readonly code = 'recording_folder';
  readonly canRetry = false;
}

/** Steps between two writes to the disk, each with a yield to the event loop. */
const STEPS_PER_TURN = 50;

async function createFolder(out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0)
    throw new RecordingFolderError(`${out} is not empty; choose a new or empty folder`);
}

const README = (options: SimulatedRecordingOptions) => `# A simulated recording

Simulated data of both venues, not real market data. Seed ${options.seed}, ${options.rate} events a second,
${options.events} questions on both venues, ${options.coins} coins, ${options.hours} h from ${new Date(options.startMs).toISOString()}.
The same settings give the same files.
`;

/** Writes hours of simulated time as a recording, as fast as possible. The same options give the same bytes. */
export async function writeSimulatedRecording(options: SimulatedRecordingOptions): Promise<RecordingSummary> {
  const { hours, earlierBars = false, accountFills = 0, accountStates = false, onProgress } = options;
  const startMs = Math.floor(options.startMs / STEP_MS) * STEP_MS;
  assertWorldTime(startMs);
  const world = createWorld(options);
  await createFolder(options.out);
  const files = new Map<string, NdjsonFile>();
  const fileOf = (source: string): NdjsonFile => {
    const file = files.get(source) ?? createNdjsonFile(join(options.out, source), options.gzip);
    files.set(source, file);
    return file;
  };
  let nowMs = startMs;
  const recorders = createVenueRecorders({
    world,
    startMs,
    earlierBars,
    accountFills,
    accountStates,
    now: () => nowMs,
    line: (source, atMs, text) => fileOf(source).line(atMs, text),
  });
  const simulation = createSimulation(
    world,
    recorders.flatMap(({ feeds }) => feeds),
  );

  for (const recorder of recorders) await recorder.atStart();
  const endMs = startMs + hours * HOUR_MS;
  for (let turn = startMs; turn < endMs; ) {
    for (let step = 0; step < STEPS_PER_TURN && turn < endMs; step += 1, turn += STEP_MS) {
      // A line is received at the end of its step.
      nowMs = turn + STEP_MS;
      simulation.runStep(turn);
      for (const recorder of recorders) {
        const recorded = recorder.afterStep(turn);
        if (recorded) await recorded;
      }
    }
    for (const file of files.values()) await file.drain();
    await new Promise((resolve) => setImmediate(resolve));
    onProgress?.(turn - startMs, endMs - startMs);
  }
  await Promise.all([...files.values()].map((file) => file.close()));
  await writeFile(join(options.out, 'README.md'), README(options));
  return {
    events: simulation.counts.events,
    files: [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => ({ path: file.path, ...file.stats() })),
  };
}
