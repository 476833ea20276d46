/** `npm run simulator`: the simulated venues as a process of their own, or written out as a recording. */
import { SingleBar } from 'cli-progress';
import { SettingError } from '../config/declare.ts';
import { settingsHelp } from '../config/help.ts';
import { RecordingFolderError, writeSimulatedRecording } from './recording/write-simulated-recording.ts';
import { loadSimulatorSettings, SIMULATOR_SETTINGS, type SimulatorSettings } from './settings.ts';
import { startSimulator } from './start-simulator.ts';
import { HOUR_MS } from './world/time.ts';
import { WorldTimeError } from './world/world.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** `venueBClobWsUrl` becomes `PARALLAX_VENUE_B_CLOB_WS_URL`. */
function variableOf(name: string): string {
  return `PARALLAX_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    // A repeated signal changes nothing: the first one is being obeyed.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}

async function serve(settings: SimulatorSettings): Promise<void> {
  const signalled = waitForSignal();
  const simulator = await startSimulator({
    host: settings.host,
    port: settings.port,
    seed: settings.simSeed,
    rate: settings.simRate,
    events: settings.simEvents,
    coins: settings.simCoins,
    faults: settings.simFaults,
  });
  for (const [name, url] of Object.entries(simulator.urls)) print(`${variableOf(name)}=${url}`);
  await signalled;
  await simulator.close();
}

async function record(settings: SimulatorSettings, out: string): Promise<void> {
  const lengthMs = settings.hours * HOUR_MS;
  const startMs = settings.start === null ? Date.now() - lengthMs : Date.parse(settings.start);
  if (Number.isNaN(startMs)) {
    throw new SettingError(`--start cannot be "${settings.start}"; accepted: ${SIMULATOR_SETTINGS.start.accepts}`);
  }
  const bar = new SingleBar({
    format: 'simulated {bar} {percentage}% | {hours} of {allHours} h | {eta_formatted} left',
  });
  bar.start(lengthMs, 0, { hours: '0.0', allHours: settings.hours });
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
      onProgress: (doneMs) => bar.update(doneMs, { hours: (doneMs / HOUR_MS).toFixed(1) }),
    });
    bar.stop();
    print(`${events} events`);
    for (const { path, lines } of files) print(`${path}: ${lines} lines`);
  } finally {
    bar.stop();
  }
}

/** Runs the command; answers its exit code. */
async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    print(`npm run simulator -- [settings]\n\n${settingsHelp(SIMULATOR_SETTINGS)}`);
    return 0;
  }
  try {
    const settings = loadSimulatorSettings(argv, process.env);
    if (settings.out === null) await serve(settings);
    else await record(settings, settings.out);
    return 0;
  } catch (error) {
    const isSetting = error instanceof SettingError || error instanceof WorldTimeError;
    if (!isSetting && !(error instanceof RecordingFolderError)) throw error;
    process.stderr.write(`parallax simulator: ${error.message}\n`);
    return isSetting ? 2 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
