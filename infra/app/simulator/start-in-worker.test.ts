import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompiledProgram, compileProgram } from '../../testing/compile-program.ts';
import { post, until } from './client.fixture.ts';
import { SimulatorWorkerError, startInWorker } from './start-in-worker.ts';

const options = { seed: 1, rate: 100, events: 2, coins: 3, faults: [] };
let program: CompiledProgram;

beforeAll(async () => {
  program = await compileProgram('infra/app/simulator/simulator-worker.ts');
});
afterAll(() => program.remove());

describe('a simulator in a separate thread', () => {
  it('serves, applies faults, returns statistics and closes', async () => {
    const simulator = await startInWorker(options, program.url);
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

  it('rejects with the reason if it cannot start', async () => {
    await expect(startInWorker({ ...options, rate: 0 }, program.url)).rejects.toThrow(/rate cannot be 0/);
  });
});
