import { describe, expect, it } from 'vitest';
import { SettingError } from '../../config/declare.ts';
import { loadSimulatorSettings } from './settings.ts';

describe('settings of the simulator', () => {
  it('have the defaults of the service', () => {
    expect(loadSimulatorSettings([], {})).toMatchObject({
      host: '127.0.0.1',
      port: 0,
      simRate: 200,
      simSeed: 1,
      simEvents: 20,
      simCoins: 50,
      simTraders: 5_000,
      simAccounts: 400,
      simFaults: [],
      inject: [],
      out: null,
    });
  });

  it('are read from flags and variables', () => {
    const settings = loadSimulatorSettings(['--hours', '3', '--out', 'there', '--gzip', 'off'], {
      PARALLAX_SIM_RATE: '7',
    });
    expect(settings).toMatchObject({ hours: 3, out: 'there', gzip: false, simRate: 7 });
  });

  it('parse injections', () => {
    const written = 'wallet_burst@venue_b:3@2026-03-01T10:00:00Z,spread_widening@venue_a:0@2026-03-01T11:00:00Z';
    expect(loadSimulatorSettings(['--inject', written], {}).inject).toEqual([
      { kind: 'wallet_burst', venue: 'venue_b', slot: 3, atMs: Date.UTC(2026, 2, 1, 10) },
      { kind: 'spread_widening', venue: 'venue_a', slot: 0, atMs: Date.UTC(2026, 2, 1, 11) },
    ]);
  });

  it.each([
    [['--inject', 'rain@venue_b:3@2026-03-01T10:00:00Z'], /--inject cannot be "rain@venue_b:3/],
    [['--inject', 'wallet_burst@venue_b:3@2026-13-01T10:00:00Z'], /--inject cannot be/],
    [['--hours', '0', '--out', 'x'], /--hours cannot be "0"/],
    [['--start', 'yesterday'], /--start cannot be "yesterday"/],
    [['--sim-rate', '20001'], /--sim-rate cannot be "20001"/],
    [['--sim-faults', 'reorgs', '--out', 'x'], /--sim-faults cannot be given with --out/],
    [['there'], /unexpected argument "there"/],
  ])('reject %j with a one-line message', (argv, message) => {
    expect(() => loadSimulatorSettings(argv, {})).toThrow(SettingError);
    expect(() => loadSimulatorSettings(argv, {})).toThrow(message);
  });
});
