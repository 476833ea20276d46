/**
 * Loads what wallets did, and compares it with the truth: for services that are killed meanwhile. Fills of venue_a, scans of
 * the chain, and files of builders.
 */
import { expect, it } from 'vitest';
import type { Simulator } from '../../simulator/start-simulator.ts';
import { builderAddresses, createAccounts } from '../../simulator/venues/venue-a/accounts.ts';
import type { World } from '../../simulator/world/world.ts';
import { expectStatus, sendRequest } from './rest-client.ts';
import { eventually, get, type Service } from './service.ts';
import { readTruth } from './simulated-truth.ts';
import {
  type Body,
  fillsOf,
  legsOf,
  statedFillOfVenueA,
  statedFillOfVenueB,
  trueFillOfVenueA,
  trueFillOfVenueB,
} from './wallet-figures.ts';

/** Accounts of each mode of venue_a; three are also bound on venue_b. */
const ON_VENUE_A = [388, 390, 391, 392, 393, 394, 395, 396];
const ON_VENUE_B = ON_VENUE_A.slice(0, 3);
const BUILDERS = 2;
/** Days of their files that are compared. The newest two may not be complete. */
const DAYS = 10;
const DAY_MS = 86_400_000;
const LOADED_WITHIN_MS = 120_000;

interface LoadingRun {
  /** The process that answers requests. */
  readonly service: Pick<Service, 'rest'>;
  readonly simulator: Simulator;
  readonly world: World;
}

interface Wallet {
  readonly id: string;
  readonly address: string;
}

export interface Loading {
  /** Binds wallets and registers builders, and requests scans. What this begins takes some seconds. */
  begin(): Promise<void>;
  /** Declares the tests of what was loaded. */
  declareTests(): void;
}

export function loading(run: LoadingRun): Loading {
  const onVenueA: Wallet[] = [];
  const onVenueB: Wallet[] = [];
  const buildersOf = () => builderAddresses(run.world).slice(0, BUILDERS);
  const truthOf = (address: string, at: number) => readTruth(new URL(run.simulator.nodeUrl).origin, address, at);
  const scan = ({ id }: Wallet) =>
    sendRequest(run.service, 'POST', `/v1/me/wallets/${id}/history-backfill?lookback_days=1`);
  const bind = async (provider: string, nth: number): Promise<Wallet> => {
    const address = run.world.population.accounts[nth]!;
    const body = { provider, address, label: 'w' };
    const response = await expectStatus(201, run.service, 'POST', '/v1/me/wallets', { body });
    return { id: response.body.id, address };
  };

  /** The fills of the last day on venue_b, as they are and as the service states them. */
  const lastDay = async ({ id, address }: Wallet, since: number) => {
    // The newest blocks may not be followed yet.
    const at = Date.now() - 10_000;
    const truth = (await truthOf(address, at)).venue_b;
    const isMeant = (ts: number) => ts > since && ts <= at;
    // The truth does not state questions that ended.
    const known = new Set(truth.books.map(({ asset }) => asset));
    const stated = (await fillsOf(run.service, id))
      .filter(({ ts, ownTokenId }) => isMeant(Date.parse(ts)) && known.has(ownTokenId))
      .map(statedFillOfVenueB);
    const real = truth.fills.filter(({ ts }) => isMeant(ts)).map(trueFillOfVenueB);
    return { real: real.sort(), stated: stated.sort() };
  };

  return {
    async begin() {
      for (const builder of buildersOf()) {
        const body = { provider: 'venue_a', builder, label: 'b' };
        await expectStatus(201, run.service, 'POST', '/v1/me/platform-attributions', { body });
      }
      for (const nth of ON_VENUE_A) onVenueA.push(await bind('venue_a', nth));
      for (const nth of ON_VENUE_B) onVenueB.push(await bind('venue_b', nth));
      // Their responses may be lost with the process.
      for (const wallet of onVenueB) scan(wallet).catch(() => {});
    },

    declareTests() {
      it('states the true fills and ledgers of venue_a', async () => {
        const stats = () => get<Body>(run.service, '/v1/me/stats?groupBy=wallet&provider=venue_a_perp');
        const isLoaded = ({ data }: Body) => data.every((row: Body) => row.tradeCount !== null);
        const { data } = await eventually(stats, isLoaded, LOADED_WITHIN_MS);
        for (const { id, address } of onVenueA) {
          const through = Date.parse(data.find((row: Body) => row.walletId === id).fillsThrough);
          const truth = (await truthOf(address, through)).venue_a;
          const fills = await fillsOf(run.service, id);
          const stated = fills.filter(({ ts }) => Date.parse(ts) <= through).map(statedFillOfVenueA);
          expect(stated.sort()).toEqual((truth.fills as Body[]).map(trueFillOfVenueA).sort());
          // A fill that came after the truth was read changes a book.
          if (fills.length > stated.length) continue;
          const { legs } = await legsOf(run.service, id);
          const own = legs.map(({ marketId, realized, openPosition }) => [marketId, realized, openPosition]);
          const books = truth.books.map(({ coin, realized, openPosition }) => [coin, +realized, +openPosition]);
          expect(own.sort()).toEqual(books.sort());
        }
      }, 180_000);

      it('states the true fills of venue_b once the scans are done', async () => {
        const since = Date.now() - DAY_MS + 600_000;
        for (const wallet of onVenueB) {
          // The scan that a killed process began goes on, and this request waits for it.
          await eventually(
            () => scan(wallet),
            ({ status }) => status === 200,
            LOADED_WITHIN_MS,
          );
          const figures = () => lastDay(wallet, since);
          const isTrue = ({ real, stated }: Awaited<ReturnType<typeof lastDay>>) => real.join() === stated.join();
          const { real, stated } = await eventually(figures, isTrue).catch(figures);
          expect(stated).toEqual(real);
        }
      }, 180_000);

      it('states every trade of the files of builders once', async () => {
        const to = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
        const from = to - DAYS * DAY_MS;
        const accounts = createAccounts(run.world);
        const fills = buildersOf().flatMap((builder) => accounts.builderFills(builder, from, to));
        const volume = () => get<Body>(run.service, `/v1/me/platform-volume?from=${from}&to=${to}`);
        const hasAll = ({ byVenue: [row] }: Body) => Date.parse(row.dataThrough) >= to;
        const { byVenue } = await eventually(volume, hasAll, LOADED_WITHIN_MS);
        expect(byVenue[0]).toMatchObject({ venue: 'venue_a', tradeCount: fills.length });
      }, 180_000);

      it('exceeded no limit of the venue', async () => {
        const { limitsExceeded } = await run.simulator.stats();
        expect(new Set(Object.values(limitsExceeded))).toEqual(new Set([0]));
      });
    },
  };
}
