/** Kills a service at random moments while it loads what wallets did. Its figures must be true afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import { createWorld } from '../../simulator/world/world.ts';
import { runCommand } from './command.ts';
import { loading } from './loading-suite.ts';
import { type Service, startService, temporaryFolder } from './service.ts';
import { upstreams } from './upstreams.ts';

const KILLS = 5;
/** Longer than a start takes alone, so that some kills happen before the service is ready. */
const KILLED_WITHIN_MS = 6_000;
const WORLD = { seed: 9, rate: 2, events: 4, coins: 3 };
/** Venue_a allows twelve times as much as in a real minute. */
const MINUTE_MS = 5_000;

describe('a service that was killed while it loaded what wallets did', () => {
  const folder = temporaryFolder('parallax-money-kills');
  const opened: { simulator?: Simulator; service?: Service } = {};
  const run = {
    world: createWorld(WORLD),
    get service() {
      return opened.service!;
    },
    get simulator() {
      return opened.simulator!;
    },
  };
  const { begin, declareTests } = loading(run);
  const start = (onSpawn = (_: Service['process']) => {}) =>
    startService({
      dataDir: folder.path,
      flags: ['--venues', 'sim', '--sim-minute-ms', `${MINUTE_MS}`, '--log-level', 'warn'],
      env: upstreams(run.simulator),
      onSpawn,
    });

  beforeAll(async () => {
    opened.simulator = await startSimulator({ ...WORLD, minuteMs: MINUTE_MS, faults: [] });
    opened.service = await start();
    await begin();
    await run.service.kill();
    for (let kill = 1; kill < KILLS; kill += 1) {
      let child: Service['process'];
      const starting = start((spawned) => {
        child = spawned;
      }).catch(() => null);
      await sleep(Math.random() * KILLED_WITHIN_MS);
      child!.kill('SIGKILL');
      await (await starting)?.kill();
    }
    opened.service = await start();
  }, 300_000);
  afterAll(async () => {
    await opened.service?.stop();
    await opened.simulator?.close();
    folder.remove();
  });

  declareTests();

  it('has the same in its tables as what can be derived again', async () => {
    expect(await run.service.stop()).toBe(0);
    const verified = await runCommand('replay', ['--data-dir', folder.path, '--verify', '--json']);
    expect([verified.code, JSON.parse(verified.out).differences]).toEqual([0, []]);
  }, 180_000);
});
