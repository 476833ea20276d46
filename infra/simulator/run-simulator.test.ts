import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SettingError } from '../config/declare.ts';
import { post, until } from './client.fixture.ts';
import { runSimulator } from './run-simulator.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-simulator-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

/** Surroundings that keep what is printed; `stop` ends a simulator that serves. */
function surroundings() {
  const lines: string[] = [];
  let stop = () => {};
  const stopping = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const keep = (line: string) => void lines.push(line);
  return { lines, stop, given: { environment: {}, print: keep, complain: keep, stopped: () => stopping } };
}

describe('npm run simulator', () => {
  it('prints the settings that point others at it, serves, and ends when told to', async () => {
    const { lines, stop, given } = surroundings();
    const running = runSimulator(['--sim-coins', '3', '--sim-events', '1'], given);
    await until('nine addresses', () => lines.length === 9);
    expect(lines.map((line) => line.split('=')[0])).toEqual(
      expect.arrayContaining(['PARALLAX_VENUE_A_API_URL', 'PARALLAX_VENUE_B_CLOB_WS_URL', 'PARALLAX_VENUE_B_RPC_URL']),
    );
    const api = lines.find((line) => line.startsWith('PARALLAX_VENUE_A_API_URL='))!.split('=')[1];
    expect((await post(`${api}/info`, { type: 'meta' })).status).toBe(200);
    stop();
    expect(await running).toBe(0);
  });

  it('writes a recording, once', async () => {
    const { lines, given } = surroundings();
    const out = join(folder, 'recording');
    const argv = ['--out', out, '--hours', '1', '--sim-rate', '1', '--sim-coins', '3', '--sim-events', '1'];
    expect(await runSimulator([...argv, '--gzip', 'off', '--start', '2026-03-01T00:00:00Z'], given)).toBe(0);
    expect(await readdir(out)).toContain('venue_b.rpc.ndjson');
    expect(lines[0]).toBe('3600 events');
    expect(await runSimulator(argv, given)).toBe(1);
    expect(lines.at(-1)).toMatch(/is not empty/);
  });

  it.each([
    [['--start', '2010-01-01T00:00:00Z', '--out', 'early'], /--start: the simulated world begins/],
    [['--start', '2026-99-01T00:00:00Z', '--out', 'never'], /--start cannot be/],
    [['--nothing'], /unknown flag --nothing/],
  ])('refuses %j as a bad setting', async (argv, message) => {
    const { given } = surroundings();
    await expect(runSimulator(argv, given)).rejects.toThrow(SettingError);
    await expect(runSimulator(argv, given)).rejects.toThrow(message);
  });

  it('lists its settings', async () => {
    const { lines, given } = surroundings();
    expect(await runSimulator(['--help'], given)).toBe(0);
    expect(lines[0]).toContain('--hours');
  });
});
