/**
 * Kills a service at random moments while it loads the fills of accounts, scans the history of wallets and reads the files of
 * builders. Its figures must be true afterwards, as if nothing had happened.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import { builderAddresses, createAccounts } from '../../simulator/venues/venue-a/accounts.ts';
import { createWorld } from '../../simulator/world/world.ts';
import { runCommand } from './command.ts';
import { expectStatus, sendRequest } from './rest-client.ts';
import { eventually, get, type Service, startService, temporaryFolder } from './service.ts';
import { readTruth } from './simulated-truth.ts';
import { upstreams } from './upstreams.ts';
import {
  type Body,
  fillsOf,
  legsOf,
  statedFillOfVenueA,
  statedFillOfVenueB,
  trueFillOfVenueA,
  trueFillOfVenueB,
} from './wallet-figures.ts';

const KILLS = 5;
/** Longer than a start takes alone, so that some kills happen before the service is ready. */
const KILLED_WITHIN_MS = 6_000;
const WORLD = { seed: 9, rate: 2, events: 4, coins: 3 };
/** Venue_a allows twelve times as much as in a real minute. */
const MINUTE_MS = 5_000;
const DAY_MS = 86_400_000;
const LOADED_WITHIN_MS = 120_000;
const world = createWorld(WORLD);
const ON_VENUE_A = [388, 390, 391, 392, 393, 394, 395, 396].map((nth) => world.population.accounts[nth]!);
const ON_VENUE_B = ON_VENUE_A.slice(0, 3);
const BUILDERS = builderAddresses(world).slice(0, 2);

interface Wallet {
  readonly id: string;
  readonly address: string;
}

describe('a service that is killed while it loads what wallets did', () => {
  const folder = temporaryFolder('parallax-money-kills');
  let simulator: Simulator;
  let simulatorUrl: string;
  let service: Service;
  const onVenueA: Wallet[] = [];
  const onVenueB: Wallet[] = [];

  const start = (onSpawn = (_: Service['process']) => {}) =>
    startService({
      dataDir: folder.path,
      flags: ['--venues', 'sim', '--sim-minute-ms', `${MINUTE_MS}`, '--log-level', 'warn'],
      env: upstreams(simulator),
      onSpawn,
    });
  const bind = async (provider: string, address: string): Promise<Wallet> => {
    const body = { provider, address, label: 'w' };
    const response = await expectStatus(201, service, 'POST', '/v1/me/wallets', { body });
    return { id: response.body.id, address };
  };
  const scan = ({ id }: Wallet) =>
    sendRequest(service, 'POST', `/v1/me/wallets/${id}/history-backfill?lookback_days=1`);

  beforeAll(async () => {
    simulator = await startSimulator({ ...WORLD, minuteMs: MINUTE_MS, faults: [] });
    simulatorUrl = new URL(simulator.nodeUrl).origin;
    service = await start();
    for (const builder of BUILDERS) {
      const body = { provider: 'venue_a', builder, label: 'b' };
      await expectStatus(201, service, 'POST', '/v1/me/platform-attributions', { body });
    }
    for (const address of ON_VENUE_A) onVenueA.push(await bind('venue_a', address));
    for (const address of ON_VENUE_B) onVenueB.push(await bind('venue_b', address));
    // Their responses are lost with the process.
    for (const wallet of onVenueB) scan(wallet).catch(() => {});
    await service.kill();
    for (let kill = 1; kill < KILLS; kill += 1) {
      let child: Service['process'];
      const starting = start((spawned) => {
        child = spawned;
      }).catch(() => null);
      await sleep(Math.random() * KILLED_WITHIN_MS);
      child!.kill('SIGKILL');
      await (await starting)?.kill();
    }
    service = await start();
  }, 300_000);
  afterAll(async () => {
    await service?.stop();
    await simulator?.close();
    folder.remove();
  });

  it('has the true fills and ledgers of venue_a', async () => {
    const stats = () => get<Body>(service, '/v1/me/stats?groupBy=wallet&provider=venue_a_perp');
    const isLoaded = ({ data }: Body) => data.every((row: Body) => row.tradeCount !== null);
    const { data } = await eventually(stats, isLoaded, LOADED_WITHIN_MS);
    for (const { id, address } of onVenueA) {
      const through = Date.parse(data.find((row: Body) => row.walletId === id).fillsThrough);
      const truth = (await readTruth(simulatorUrl, address, through)).venue_a;
      const fills = await fillsOf(service, id);
      const stated = fills.filter(({ ts }) => Date.parse(ts) <= through).map(statedFillOfVenueA);
      expect(stated.sort()).toEqual((truth.fills as Body[]).map(trueFillOfVenueA).sort());
      // A fill that came after the truth was read changes a book.
      if (fills.length > stated.length) continue;
      const { legs } = await legsOf(service, id);
      const own = legs.map(({ marketId, realized, openPosition }) => [marketId, realized, openPosition]);
      const books = truth.books.map(({ coin, realized, openPosition }) => [coin, +realized, +openPosition]);
      expect(own.sort()).toEqual(books.sort());
    }
  }, 180_000);

  it('has the true fills of venue_b once the scans are done', async () => {
    const since = Date.now() - DAY_MS + 400_000;
    for (const wallet of onVenueB) {
      // The scan that a killed process began goes on, and this request waits for it.
      await eventually(
        () => scan(wallet),
        ({ status }) => status === 200,
        LOADED_WITHIN_MS,
      );
      const figures = async () => {
        // The newest blocks may not be followed yet.
        const at = Date.now() - 10_000;
        const truth = (await readTruth(simulatorUrl, wallet.address, at)).venue_b;
        const isMeant = (ts: number) => ts > since && ts <= at;
        // The truth does not state questions that ended.
        const known = new Set(truth.books.map(({ asset }) => asset));
        const real = truth.fills.filter(({ ts }) => isMeant(ts)).map(trueFillOfVenueB);
        const all = await fillsOf(service, wallet.id);
        const stated = all
          .filter(({ ts, ownTokenId }) => isMeant(Date.parse(ts)) && known.has(ownTokenId))
          .map(statedFillOfVenueB);
        return { real: real.sort(), stated: stated.sort() };
      };
      const { real, stated } = await eventually(figures, (all) => all.real.join() === all.stated.join()).catch(figures);
      expect(stated).toEqual(real);
    }
  }, 180_000);

  it('has every trade of the files of builders once', async () => {
    const to = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
    const from = to - 10 * DAY_MS;
    const accounts = createAccounts(world);
    const fills = BUILDERS.flatMap((builder) => accounts.builderFills(builder, from, to));
    const volume = () => get<Body>(service, `/v1/me/platform-volume?from=${from}&to=${to}`);
    const { byVenue } = await eventually(
      volume,
      ({ byVenue: [row] }: Body) => Date.parse(row.dataThrough) >= to,
      LOADED_WITHIN_MS,
    );
    expect(byVenue[0]).toMatchObject({ venue: 'venue_a', tradeCount: fills.length });
  }, 180_000);

  it('exceeded no limit of the venue', async () => {
    const { limitsExceeded } = await simulator.stats();
    expect(new Set(Object.values(limitsExceeded))).toEqual(new Set([0]));
  });

  it('is the same when it is derived again', async () => {
    expect(await service.stop()).toBe(0);
    const verified = await runCommand('replay', ['--data-dir', folder.path, '--verify', '--json']);
    expect([verified.code, JSON.parse(verified.out).differences]).toEqual([0, []]);
  }, 180_000);
});
