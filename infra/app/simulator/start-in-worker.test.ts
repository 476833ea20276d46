import { describe, expect, it } from 'vitest';
import { post, until } from './client.fixture.ts';
import { SimulatorWorkerError, startInWorker } from './start-in-worker.ts';

const options = { seed: 1, rate: 100, events: 2, coins: 3, faults: [] };
/** Built before all tests, since threads of this Node version cannot load TypeScript. */
const program = new URL('../../../dist/infra/app/simulator/simulator-worker.js', import.meta.url);

describe('a simulator in a separate thread', () => {
  it('serves, applies faults, returns statistics and closes', async () => {
    const simulator = await startInWorker(options, program);
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
    await expect(startInWorker({ ...options, rate: 0 }, program)).rejects.toThrow(/rate cannot be 0/);
  });
});
