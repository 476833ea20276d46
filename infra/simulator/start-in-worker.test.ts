import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, until } from './client.fixture.ts';
import { SimulatorWorkerError, startInWorker } from './start-in-worker.ts';

const root = resolve(import.meta.dirname, '../..');
const cache = join(root, 'node_modules', '.cache');
const options = { seed: 1, rate: 100, events: 2, coins: 3, faults: [] };
let folder = '';
let script: URL;

// A thread of this Node may not read TypeScript, so the worker's program is compiled as the build compiles it.
beforeAll(async () => {
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, 'simulator-worker-'));
  const imports = { '#schemas/*': './out/schemas/*.js' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', imports }));
  const project = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { outDir: join(folder, 'out'), rootDir: root, noCheck: true, sourceMap: false },
    include: [],
    files: [join(root, 'infra/simulator/simulator-worker.ts')],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  script = pathToFileURL(join(folder, 'out/infra/simulator/simulator-worker.js'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

describe('a simulator in a thread of its own', () => {
  it('serves, obeys, tells its figures, and ends', async () => {
    const simulator = await startInWorker(options, script);
    const ask = () => post(`${simulator.urls.venueAApiUrl}/info`, { type: 'meta' });
    expect((await ask()).status).toBe(200);
    await simulator.faults.errors('venue_a.info', 1, 502);
    expect([(await ask()).status, (await ask()).status]).toEqual([502, 200]);
    await until('events', async () => (await simulator.stats()).events > 10);
    await expect(simulator.faults.reorg(0)).rejects.toThrow(SimulatorWorkerError);
    await simulator.close();
    await simulator.close();
    await expect(simulator.stats()).rejects.toThrow(SimulatorWorkerError);
    await expect(ask()).rejects.toThrow();
  });

  it('says why it cannot start', async () => {
    await expect(startInWorker({ ...options, rate: 0 }, script)).rejects.toThrow(/rate cannot be 0/);
  });
});
