/** `npm run simulator`: serves the simulated venues, or writes a recording of them. */
import { SingleBar } from 'cli-progress';
import { UPSTREAMS } from '#schemas/venues/streams';
import { SettingError } from '../../config/declare.ts';
import { settingsHelp } from '../../config/help.ts';
import { SETTINGS } from '../../config/settings.ts';
import { RecordingFolderError, writeSimulatedRecording } from './recording/write-simulated-recording.ts';
import { loadSimulatorSettings, SIMULATOR_SETTINGS, type SimulatorSettings } from './settings.ts';
import { startSimulator } from './start-simulator.ts';
import { InjectionError } from './world/injections.ts';
import { HOUR_MS } from './world/time.ts';
import { WorldTimeError } from './world/world.ts';

/** Environment, output and stop signal of the command. */
export interface SimulatorIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Prints a line of output. */
  readonly print: (line: string) => void;
  /** Prints a line about an error. */
  readonly printError: (line: string) => void;
  /** Resolves when the simulator should stop. */
  readonly untilStopped: () => Promise<void>;
}

async function serve(settings: SimulatorSettings, { print, untilStopped, printError }: SimulatorIo): Promise<void> {
  const end = untilStopped();
  const simulator = await startSimulator({
    host: settings.host,
    port: settings.port,
    seed: settings.simSeed,
    rate: settings.simRate,
    events: settings.simEvents,
    coins: settings.simCoins,
    traders: settings.simTraders,
    accounts: settings.simAccounts,
    nodeData: settings.nodeData,
    minuteMs: settings.simMinuteMs,
    faults: settings.simFaults,
    inject: settings.inject,
    onError: (error) => printError(`simulator: ${error}`),
  });
  for (const { setting, variable } of Object.values(UPSTREAMS)) print(`${variable}=${simulator.urls[setting]}`);
  print(`${SETTINGS.venueANodeUrl.variable}=${simulator.nodeUrl}`);
  if (settings.nodeData !== null) print(`${SETTINGS.venueANodeData.variable}=${settings.nodeData}`);
  await end;
  await simulator.close();
}

/** Start of the recording, unix ms. By default it ends now. */
function startOf({ start, hours }: SimulatorSettings): number {
  const startMs = start === null ? Date.now() - hours * HOUR_MS : Date.parse(start);
  if (!Number.isNaN(startMs)) return startMs;
  throw new SettingError(`--start cannot be "${start}"; accepted: ${SIMULATOR_SETTINGS.start.accepts}`);
}

async function record(settings: SimulatorSettings, out: string, print: (line: string) => void): Promise<void> {
  const startMs = startOf(settings);
  const allHours = settings.hours;
  const bar = new SingleBar({
    format: 'simulated {bar} {percentage}% | {hours} of {allHours} h | {eta_formatted} left',
  });
  bar.start(allHours * HOUR_MS, 0, { hours: '0.0', allHours });
  try {
    const { events, files } = await writeSimulatedRecording({
      seed: settings.simSeed,
      rate: settings.simRate,
      events: settings.simEvents,
      coins: settings.simCoins,
      traders: settings.simTraders,
      accounts: settings.simAccounts,
      hours: settings.hours,
      out,
      startMs,
      gzip: settings.gzip,
      inject: settings.inject,
      onProgress: (doneMs) => bar.update(doneMs, { hours: (doneMs / HOUR_MS).toFixed(1) }),
    });
    bar.stop();
    print(`${events} events`);
    for (const { path, lines } of files) print(`${path}: ${lines} lines`);
  } finally {
    bar.stop();
  }
}

/** Runs the command and returns its exit code. Throws a `SettingError` for invalid arguments. */
export async function runSimulator(argv: readonly string[], io: SimulatorIo): Promise<number> {
  const { environment, print, printError } = io;
  if (argv.includes('--help')) {
    print(`npm run simulator -- [settings]\n\n${settingsHelp(SIMULATOR_SETTINGS)}`);
    return 0;
  }
  const settings = loadSimulatorSettings(argv, environment);
  try {
    if (settings.out === null) await serve(settings, io);
    else await record(settings, settings.out, print);
    return 0;
  } catch (error) {
    if (error instanceof WorldTimeError) throw new SettingError(`--start: ${error.message}`);
    if (error instanceof InjectionError) throw new SettingError(`--inject: ${error.message}`);
    if (!(error instanceof RecordingFolderError)) throw error;
    printError(`parallax simulator: ${error.message}`);
    return 1;
  }
}
