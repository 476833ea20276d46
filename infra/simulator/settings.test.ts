import { describe, expect, it } from 'vitest';
import { SettingError } from '../config/declare.ts';
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
      simFaults: [],
      out: null,
    });
  });

  it('take flags and variables', () => {
    const settings = loadSimulatorSettings(['--hours', '3', '--out', 'there', '--gzip', 'off'], {
      PARALLAX_SIM_RATE: '7',
    });
    expect(settings).toMatchObject({ hours: 3, out: 'there', gzip: false, simRate: 7 });
  });

  it.each([
    [['--hours', '0', '--out', 'x'], /--hours cannot be "0"/],
    [['--start', 'yesterday'], /--start cannot be "yesterday"/],
    [['--sim-rate', '20001'], /--sim-rate cannot be "20001"/],
    [['--sim-faults', 'reorgs', '--out', 'x'], /--sim-faults cannot be given with --out/],
    [['there'], /unexpected argument "there"/],
  ])('refuse %j in one line', (argv, message) => {
    expect(() => loadSimulatorSettings(argv, {})).toThrow(SettingError);
    expect(() => loadSimulatorSettings(argv, {})).toThrow(message);
  });
});
