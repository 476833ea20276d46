/** `npm run simulator`: the simulated venues as a process of their own, or written out as a recording. */
import { SingleBar } from 'cli-progress';
import { SettingError } from '../config/declare.ts';
import { settingsHelp } from '../config/help.ts';
import { RecordingFolderError, writeSimulatedRecording } from './recording/write-simulated-recording.ts';
import { loadSimulatorSettings, SIMULATOR_SETTINGS, type SimulatorSettings } from './settings.ts';
import { startSimulator } from './start-simulator.ts';
import { InjectionError } from './world/injections.ts';
import { HOUR_MS } from './world/time.ts';
import { WorldTimeError } from './world/world.ts';

/** What the command needs of its surroundings. */
export interface SimulatorIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Prints a line for the one who asked. */
  readonly print: (line: string) => void;
  /** Prints a line about what went wrong. */
  readonly printError: (line: string) => void;
  /** Resolves when the simulator is to end. */
  readonly untilStopped: () => Promise<void>;
}

/** The variable of a URL: `venueBClobWsUrl` becomes `PARALLAX_VENUE_B_CLOB_WS_URL`. */
export function variableOfUrl(name: string): string {
  return `PARALLAX_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

async function serve(settings: SimulatorSettings, { print, untilStopped: stopped, printError: complain }: SimulatorIo): Promise<void> {
  const end = stopped();
  const simulator = await startSimulator({
    host: settings.host,
    port: settings.port,
    seed: settings.simSeed,
    rate: settings.simRate,
    events: settings.simEvents,
    coins: settings.simCoins,
    faults: settings.simFaults,
    inject: settings.inject,
    onError: (error) => complain(`simulator: ${error}`),
  });
  for (const [name, url] of Object.entries(simulator.urls)) print(`${variableOfUrl(name)}=${url}`);
  await end;
  await simulator.close();
}

/** When the recording begins: where asked, else so that it ends now. */
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

/** Runs the command; answers its exit code. Throws a `SettingError` for bad arguments. */
export async function runSimulator(argv: readonly string[], io: SimulatorIo): Promise<number> {
  const { environment, print, printError: complain } = io;
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
    complain(`parallax simulator: ${error.message}`);
    return 1;
  }
}
