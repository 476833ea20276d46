/** Settings of `npm run simulator`, including the `sim` settings of the service. */
import { ANOMALY_KINDS } from '#schemas/topics/anomalies';
import { integerSetting, readSettings, SettingError, switchSetting, textSetting } from '../../config/declare.ts';
import { SETTINGS } from '../../config/settings.ts';
import { type Injection, readInjection } from './world/injections.ts';

const INJECT_ACCEPTS = `a comma list of <kind>@<venue>:<slot>@<time>, as wallet_burst@venue_b:3@2026-03-01T10:00:00Z, with the kinds ${ANOMALY_KINDS.join(', ')}`;

export const SIMULATOR_SETTINGS = {
  host: SETTINGS.host,
  port: integerSetting({
    flag: 'port',
    variable: 'PARALLAX_SIM_PORT',
    fallback: 0,
    min: 0,
    max: 65_535,
    description: 'Port of all simulated interfaces; 0 chooses a free one.',
  }),
  simRate: SETTINGS.simRate,
  simSeed: SETTINGS.simSeed,
  simEvents: SETTINGS.simEvents,
  simCoins: SETTINGS.simCoins,
  simTraders: SETTINGS.simTraders,
  simAccounts: SETTINGS.simAccounts,
  simMinuteMs: SETTINGS.simMinuteMs,
  simFaults: SETTINGS.simFaults,
  nodeData: textSetting({
    flag: 'node-data',
    variable: 'PARALLAX_SIM_NODE_DATA',
    fallback: null,
    accepts: 'a folder; it is created if it does not exist',
    pattern: /^.+$/,
    description: "Folder into which venue_a's self-hosted node writes its files of fills; none by default.",
  }),
  inject: textSetting({
    flag: 'inject',
    variable: 'PARALLAX_SIM_INJECT',
    fallback: null,
    accepts: INJECT_ACCEPTS,
    pattern: /^.+$/,
    description: 'Injects anomalies into markets, for tests of detectors.',
  }),
  out: textSetting({
    flag: 'out',
    variable: 'PARALLAX_SIM_OUT',
    fallback: null,
    accepts: 'a folder that does not exist or is empty',
    pattern: /^.+$/,
    description: 'Writes a recording into this folder instead of serving.',
  }),
  hours: integerSetting({
    flag: 'hours',
    variable: 'PARALLAX_SIM_HOURS',
    fallback: 24,
    min: 1,
    max: 24 * 400,
    description: 'Hours of simulated time in the recording.',
  }),
  start: textSetting({
    flag: 'start',
    variable: 'PARALLAX_SIM_START',
    fallback: null,
    accepts: 'an ISO-8601 time with Z, as 2026-03-01T00:00:00Z',
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{3})?)?Z$/,
    description: 'Simulated start time of the recording; by default the recording ends now.',
  }),
  gzip: switchSetting({
    flag: 'gzip',
    variable: 'PARALLAX_SIM_GZIP',
    fallback: true,
    description: "Compresses the recording's files.",
  }),
};

export type SimulatorSettings = ReturnType<typeof loadSimulatorSettings>;

/** Reads the simulator's settings. Throws a `SettingError` with a one-line message. */
export function loadSimulatorSettings(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  const { values, positionals: rest } = readSettings(SIMULATOR_SETTINGS, argv, environment);
  if (rest.length > 0) {
    throw new SettingError(`unexpected argument ${JSON.stringify(rest[0])}; --help lists every setting`);
  }
  if (values.out !== null && values.simFaults.length > 0) {
    throw new SettingError('--sim-faults cannot be given with --out; recordings contain no faults');
  }
  return { ...values, inject: readInjections(values.inject) };
}

function readInjections(text: string | null): readonly Injection[] {
  return (text?.split(',') ?? []).map((written) => {
    const injection = readInjection(written);
    if (!injection) throw new SettingError(`--inject cannot be "${written}"; accepted: ${INJECT_ACCEPTS}`);
    return injection;
  });
}
