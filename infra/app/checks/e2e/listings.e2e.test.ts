/**
 * Runs a whole service on simulated venues through hours at which markets and a dex are listed and delisted: without a
 * restart it serves the new ones, and of the delisted ones only trades and candles.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import type { Ladder } from '../../simulator/world/ladders.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../simulator/world/time.ts';
import { createWorld } from '../../simulator/world/world.ts';
import { type RestResponse, sendRequest } from './rest-client.ts';
import { eventually, type Service, startService, temporaryFolder } from './service.ts';
import { upstreams } from './upstreams.ts';

const SETTINGS = { seed: 5, rate: 30, events: 3, coins: 4, traders: 10 };
/** A noon at least three hours ago, so that no simulated time is ahead of the service's. */
const NOON = Math.floor((Date.now() - 15 * HOUR_MS) / DAY_MS) * DAY_MS + 12 * HOUR_MS;
/** The service reads lists every half minute. */
const LISTED_WITHIN_MS = 90_000;
const TIMEOUT_MS = 240_000;

const { ladders } = createWorld(SETTINGS);
const coinsOf = (all: readonly Ladder[]) => new Set(all.map(({ coin }) => coin));
/** The markets of a kind that an hour mark adds, and those that it removes. */
function changesAt(hourMs: number, kind: Ladder['kind']) {
  const [before, after] = [ladders.listed(hourMs - 1), ladders.listed(hourMs)];
  const without = (all: readonly Ladder[], others: readonly Ladder[]) =>
    all.filter((ladder) => ladder.kind === kind && !coinsOf(others).has(ladder.coin));
  return { listed: without(after, before)[0]!, delisted: without(before, after)[0]! };
}
const pathOf = ({ coin, kind, dex, spot }: Ladder): string => {
  if (kind === 'perp') return `coins/${coin}`;
  if (spot) return `spot/pairs/${spot.base.name}-USDC`;
  return `perp-dex/${dex}/contracts/${coin.slice(dex!.length + 1)}`;
};
const codeOf = ({ body }: RestResponse): string | undefined => body.error?.code;

const folder = temporaryFolder('listings');
let simulator: Simulator;
let service: Service;
let [simulatedNow, setAt, stopsAt] = [NOON - 40 * SECOND_MS, Date.now(), NOON - 5 * SECOND_MS];
/** The simulated time, which goes on from where it was set, until it stops before an hour. */
const wallClock = () => Math.min(simulatedNow + Date.now() - setAt, stopsAt);
function setClock(atMs: number, untilMs = Number.POSITIVE_INFINITY): void {
  [simulatedNow, setAt, stopsAt] = [atMs, Date.now(), untilMs];
}

beforeAll(async () => {
  simulator = await startSimulator({ ...SETTINGS, faults: [], wallClock });
  service = await startService({
    dataDir: join(folder.path, 'data'),
    flags: ['--venues', 'live'],
    env: upstreams(simulator),
  });
}, TIMEOUT_MS);
afterAll(async () => {
  await service?.kill();
  await simulator?.close();
  folder.remove();
});

const get = (path: string) => sendRequest(service, 'GET', `/v1/markets/venue_a/${path}`);
const tradesOf = (ladder: Ladder) => get(`${pathOf(ladder)}/trades`);
/** Reads candles around an hour, each time with another limit, since responses are cached. */
let limit = 100;
const candlesOf = (ladder: Ladder, hourMs: number) => {
  limit += 1;
  const window = `start_time=${hourMs - 20 * MINUTE_MS}&end_time=${hourMs + 20 * MINUTE_MS}`;
  return get(`${pathOf(ladder)}/candles?interval=1m&limit=${limit}&${window}`);
};
const untilCandles = (ladder: Ladder, hourMs: number) =>
  eventually(
    () => candlesOf(ladder, hourMs),
    ({ body }) => body.candles?.length > 0,
    LISTED_WITHIN_MS,
  );
const untilTraded = (ladder: Ladder) =>
  eventually(
    () => tradesOf(ladder),
    ({ body }) => body.trades?.length > 0,
    LISTED_WITHIN_MS,
  );

/** Checks that a new market is served with everything that belongs to it. */
async function expectServed(ladder: Ladder, hourMs: number): Promise<void> {
  const { body } = await untilTraded(ladder);
  for (const { ts } of body.trades) expect(ts).toBeGreaterThanOrEqual(ladder.listedAtMs);
  await untilCandles(ladder, hourMs);
  // Trades, the market's figures and its book arrive independently.
  await eventually(
    () => get(pathOf(ladder)),
    ({ status }) => status === 200,
    LISTED_WITHIN_MS,
  );
  await eventually(
    () => get(`${pathOf(ladder)}/orderbook`),
    ({ body }) => body.bids?.length === 20,
    LISTED_WITHIN_MS,
  );
}

/** Checks that of a delisted market only trades and candles are served. */
async function expectDelisted(ladder: Ladder, hourMs: number, code: string): Promise<void> {
  await eventually(
    () => get(pathOf(ladder)),
    ({ status }) => status === 404,
    LISTED_WITHIN_MS,
  );
  for (const path of ['', '/orderbook']) {
    const response = await get(`${pathOf(ladder)}${path}`);
    expect([path, response.status, codeOf(response)]).toEqual([path, 404, code]);
  }
  const { body } = await tradesOf(ladder);
  expect(body.trades.length).toBeGreaterThan(0);
  for (const { ts } of body.trades) expect(ts).toBeLessThan(ladder.delistedAtMs);
  const candles = await untilCandles(ladder, hourMs);
  for (const { ts } of candles.body.candles) expect(ts).toBeLessThan(ladder.delistedAtMs);
}

describe('a service that runs while its venue lists and delists markets', { timeout: TIMEOUT_MS }, () => {
  it('serves a new perp, a new dex and its contract, and of delisted ones only trades and candles', async () => {
    const perps = changesAt(NOON, 'perp');
    const contracts = changesAt(NOON, 'builder');
    await untilTraded(perps.delisted);
    await untilTraded(contracts.delisted);
    expect(codeOf(await get(pathOf(perps.listed)))).toBe('unknown_coin');
    expect(codeOf(await get(pathOf(contracts.listed)))).toBe('unknown_dex');
    setClock(stopsAt);

    await expectServed(perps.listed, NOON);
    await expectServed(contracts.listed, NOON);
    await expectDelisted(perps.delisted, NOON, 'unknown_coin');
    await expectDelisted(contracts.delisted, NOON, 'unknown_symbol');
    const names = (await get('coins')).body.coins.map(({ name }: { name: string }) => name);
    expect(names).toContain(perps.listed.coin);
    expect(names).not.toContain(perps.delisted.coin);
    // It ends with the second list that lacks it. The list of dexes is cached for minutes, and must be read after that.
    const [ended] = ladders.dexes(NOON - 1).filter(({ name }) => !ladders.dexes(NOON).some((dex) => dex.name === name));
    await eventually(
      () => get(`perp-dex/${ended!.name}/contracts/NONE`),
      (response) => codeOf(response) === 'unknown_dex',
      LISTED_WITHIN_MS,
    );
    const dexes = (await get('perp-dex')).body.dexes.map(({ name }: { name: string }) => name);
    expect(dexes).toEqual(ladders.dexes(NOON).map(({ name }) => name));
    expect((await get(`perp-dex/${contracts.listed.dex}/contracts`)).body.contracts).toMatchObject([
      { symbol: 'GOLD' },
    ]);
    expect((await get(`perp-dex/${contracts.delisted.dex}/contracts`)).body).toEqual({ contracts: [] });
    expect((await get('perp-dex/nova/contracts')).body).toEqual({ contracts: [] });
    expect(codeOf(await get(`perp-dex/${ended!.name}/contracts`))).toBe('unknown_dex');
  });

  it('serves a new pair, and of a delisted pair only trades and candles', async () => {
    const hourMs = NOON + HOUR_MS;
    const { listed, delisted } = changesAt(hourMs, 'spot');
    // The simulator disconnects its clients when it skips so much time, and the service connects again.
    setClock(hourMs - 5 * SECOND_MS, hourMs - 5 * SECOND_MS);
    await eventually(
      () => tradesOf(delisted),
      ({ body }) => body.trades?.some(({ ts }: { ts: number }) => ts >= hourMs - 10 * MINUTE_MS),
      LISTED_WITHIN_MS,
    );
    setClock(stopsAt);
    await expectServed(listed, hourMs);
    await expectDelisted(delisted, hourMs, 'unknown_pair');
    const names = (await get('spot/pairs')).body.pairs.map(({ pair }: { pair: string }) => pair);
    expect(names).toContain(`${listed.spot!.base.name}-USDC`);
    expect(names).not.toContain(`${delisted.spot!.base.name}-USDC`);
  });
});
