/** Generates the responses of venue_a's `info` that sandbox keys see: the series of all accounts, what else one account has, and the lists. */
import type { InfoResponse } from '#query-api/sandbox/info-responses';
import type { InfoRequest } from '#schemas/requests/venue-a-info';
import { createInfo } from '../../simulator/venues/venue-a/info.ts';
import { createMarkets } from '../../simulator/venues/venue-a/market.ts';
import { createWorld, type WorldSettings } from '../../simulator/world/world.ts';

/** @param atMs the time of the responses. */
export async function makeInfoResponses(settings: WorldSettings, atMs: number): Promise<InfoResponse[]> {
  const world = createWorld(settings);
  const info = createInfo(world, createMarkets(world));
  const user = world.population.account(0);
  const ofDexes = world.ladders.dexes(atMs).flatMap(({ name: dex }): InfoRequest[] => [
    { type: 'meta', dex },
    { type: 'clearinghouseState', user, dex },
    { type: 'frontendOpenOrders', user, dex },
  ]);
  const requests: InfoRequest[] = [
    { type: 'perpDexs' },
    { type: 'meta' },
    { type: 'spotMeta' },
    { type: 'clearinghouseState', user },
    { type: 'spotClearinghouseState', user },
    { type: 'frontendOpenOrders', user },
    { type: 'historicalOrders', user },
    { type: 'userFills', user },
    ...ofDexes,
    ...world.population.accounts.map((account): InfoRequest => ({ type: 'portfolio', user: account })),
  ];
  return Promise.all(
    requests.map(async (request) => {
      const { text } = await info(request, atMs);
      return { request, native: JSON.parse(text) as unknown, fetchedAt: atMs };
    }),
  );
}
