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
      return { request, native: usedPart(request, JSON.parse(text)), fetchedAt: atMs };
    }),
  );
}

/** Nothing reads the series of perpetuals alone, which are half of a response that is stored for every account. */
function usedPart({ type }: InfoRequest, native: unknown): unknown {
  if (type !== 'portfolio') return native;
  return (native as readonly [period: string, histories: object][]).filter(([period]) => !period.startsWith('perp'));
}
