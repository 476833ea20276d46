import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UPSTREAMS } from '#schemas/venues/streams';
import { SettingError } from '../../config/declare.ts';
import { post, until } from './client.fixture.ts';
import { runSimulator } from './run-simulator.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-simulator-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

/** Fake input and output that store printed lines; `stop` ends a running simulator. */
function fakeIo() {
  const lines: string[] = [];
  let stop = () => {};
  const stopping = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const store = (line: string) => void lines.push(line);
  return { lines, stop, io: { environment: {}, print: store, printError: store, untilStopped: () => stopping } };
}

describe('npm run simulator', () => {
  it('prints the URL settings, serves, and stops on request', async () => {
    const { lines, stop, io } = fakeIo();
    const running = runSimulator(['--sim-coins', '3', '--sim-events', '1', '--node-data', join(folder, 'node')], io);
    await until('a URL for each upstream, and a node', () => lines.length === Object.keys(UPSTREAMS).length + 2);
    expect(lines.map((line) => line.split('=')[0])).toEqual(
      expect.arrayContaining(['PARALLAX_VENUE_A_API_URL', 'PARALLAX_VENUE_B_CLOB_WS_URL', 'PARALLAX_VENUE_B_RPC_URL']),
    );
    const api = lines.find((line) => line.startsWith('PARALLAX_VENUE_A_API_URL='))!.split('=')[1];
    expect((await post(`${api}/info`, { type: 'meta' })).status).toBe(200);
    const [url, data] = lines.slice(-2);
    expect(data).toBe(`PARALLAX_VENUE_A_NODE_DATA=${join(folder, 'node')}`);
    expect((await post(`${url!.replace('PARALLAX_VENUE_A_NODE_URL=', '')}/info`, { type: 'meta' })).status).toBe(200);
    await until('files of fills', async () => (await readdir(join(folder, 'node'))).length > 0);
    stop();
    expect(await running).toBe(0);
  });

  it('writes a recording, and refuses to overwrite it', async () => {
    const { lines, io } = fakeIo();
    const out = join(folder, 'recording');
    const argv = ['--out', out, '--hours', '1', '--sim-rate', '1', '--sim-coins', '3', '--sim-events', '1'];
    expect(await runSimulator([...argv, '--gzip', 'off', '--start', '2026-03-01T00:00:00Z'], io)).toBe(0);
    expect(await readdir(out)).toContain('venue_b.rpc.ndjson');
    expect(lines[0]).toBe('3600 events');
    expect(await runSimulator(argv, io)).toBe(1);
    expect(lines.at(-1)).toMatch(/is not empty/);
  });

  it.each([
    [['--start', '2010-01-01T00:00:00Z', '--out', 'early'], /--start: the simulated time starts/],
    [['--start', '2026-99-01T00:00:00Z', '--out', 'never'], /--start cannot be/],
    [['--nothing'], /unknown flag --nothing/],
  ])('rejects %j as an invalid setting', async (argv, message) => {
    const { io } = fakeIo();
    await expect(runSimulator(argv, io)).rejects.toThrow(SettingError);
    await expect(runSimulator(argv, io)).rejects.toThrow(message);
  });

  it('lists its settings', async () => {
    const { lines, io } = fakeIo();
    expect(await runSimulator(['--help'], io)).toBe(0);
    expect(lines[0]).toContain('--hours');
  });
});
