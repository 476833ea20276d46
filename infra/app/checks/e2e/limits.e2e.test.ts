/**
 * The limits of venue_a hold as the venue counts them while its sockets are cut and ingest is killed again and again. The
 * venue's minute is shortened on both sides.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import { eventually, getMetric, type Service, startService, temporaryFolder } from './service.ts';
import { upstreams } from './upstreams.ts';

const MINUTE_MS = 5_000;
const ROUNDS = 5;
/** 400 coins, contracts and pairs, and the sides of outcomes: 700 markets with trades, and books up to the limit. */
const WORLD = { seed: 5, rate: 20, events: 140, coins: 400 } as const;
const WANTED = 1_000;

const folder = temporaryFolder('limits');
let simulator: Simulator;
let service: Service | null = null;

beforeAll(async () => {
  simulator = await startSimulator({ ...WORLD, minuteMs: MINUTE_MS, faults: [] });
});
afterAll(async () => {
  await service?.stop();
  await simulator?.close();
  folder.remove();
});

async function start(): Promise<Service> {
  service = await startService({
    dataDir: folder.path,
    flags: ['--roles', 'ingest', '--venues', 'sim', '--sim-events', '1', '--sim-coins', '3', '--sim-rate', '1'],
    env: { ...upstreams(simulator), PARALLAX_SIM_MINUTE_MS: String(MINUTE_MS), PARALLAX_VENUE_A_BOOK_COINS: '400' },
  });
  return service;
}
const subscriptions = async () => (await simulator.stats()).sockets['venue_a.ws'].subscriptions;
const exceeded = async () => (await simulator.stats()).limitsExceeded;
const NOTHING = { weight: 0, connections: 0, newConnections: 0, subscriptions: 0, messages: 0 };

it('exceeds no limit through storms and kills, and then subscribes to everything again', {
  timeout: 600_000,
}, async () => {
  await start();
  await eventually(subscriptions, (count) => count >= WANTED, 120_000);
  for (let round = 0; round < ROUNDS; round += 1) {
    await simulator.faults.disconnectAll('venue_a.ws');
    await eventually(subscriptions, (count) => count > 0, 120_000);
    await service!.kill();
    await start();
  }
  await simulator.faults.disconnectAll('venue_a.ws');
  await eventually(subscriptions, (count) => count >= WANTED, 120_000);
  expect(await exceeded()).toEqual(NOTHING);
  expect(await subscriptions()).toBe(WANTED);
  expect(await getMetric(service!, 'parallax_venue_left_out')).toBeGreaterThan(0);
});
