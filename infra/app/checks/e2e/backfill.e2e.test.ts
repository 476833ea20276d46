/** Binds a wallet that traded before the service existed and backfills its history. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WalletNav } from '#query-api/accounts/wallet-nav';
import { COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { runAtOnce } from '../../simulator/turns.ts';
import { createAccountHistory } from '../../simulator/venues/venue-b/account-history.ts';
import { blockHolding } from '../../simulator/venues/venue-b/blocks.ts';
import { createChain } from '../../simulator/venues/venue-b/chain.ts';
import { createHoldings } from '../../simulator/venues/venue-b/holdings.ts';
import { createMarketBoard } from '../../simulator/venues/venue-b/market-board.ts';
import { createWorld, type World } from '../../simulator/world/world.ts';
import { get, type Service, startService, TEST_TOKEN, temporaryFolder } from './service.ts';

interface Trade {
  readonly id: string;
  readonly provider: string;
  readonly ts: string;
  readonly maker: string | null;
  readonly taker: string | null;
  readonly status: string;
}
interface Backfilled {
  readonly requestId: string;
  readonly fills: number;
  readonly scanned: { readonly fromBlock: string; readonly toBlock: string };
}

const folder = temporaryFolder('parallax-backfill');
let service: Service;
let startedAt: number;
beforeAll(async () => {
  startedAt = Date.now();
  const flags = ['--sim-rate', '10', '--sim-events', '2', '--sim-coins', '3', '--log-level', 'warn'];
  service = await startService({ dataDir: folder.path, flags });
}, 180_000);
afterAll(async () => {
  await service?.stop();
  folder.remove();
});

const post = async (path: string, body?: unknown) => {
  const response = await fetch(`${service.rest}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_TOKEN}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(40_000),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as never };
};

/** Reads venue_b's trades of all events. */
async function chainTrades(): Promise<Trade[]> {
  const { events } = await get<{ events: { universalId: string }[] }>(service, '/v1/events?limit=1000');
  const lists = await Promise.all(
    events.map(({ universalId }) => get<{ trades: Trade[] }>(service, `/v1/events/${universalId}/trades?limit=200`)),
  );
  return lists.flatMap(({ trades }) => trades).filter(({ provider }) => provider === 'venue_b');
}

async function until<T>(what: string, read: () => Promise<T | null>, withinMs = 60_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await read();
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Requests the backfill. If it takes longer than a request may, returns its state at the end. */
async function backfill(path: string) {
  const started = await post(path);
  if (started.status !== 202) return started;
  const { requestId } = started.body as Backfilled;
  const body = await until(
    'the end of a backfill',
    async () => {
      const state = await get<Backfilled & { status: string }>(service, `/v1/me/backfills/${requestId}`);
      return state.status === 'done' ? state : null;
    },
    150_000,
  );
  return { ...started, status: 200, body };
}

/** Trades older than this were not received live, and are deep enough to be confirmed. */
const BEFORE_MS = 10 * 60_000;

/** An account that hardly ever trades, so that no other test binds it. */
const NTH = 398;

/** USD that an account of the simulated chain has in a block. */
function cashAt(world: World, address: string, block: number): number {
  const board = createMarketBoard(world);
  const chain = createChain(world, board, { spontaneousReorgs: true });
  const holdings = createHoldings(world, board, createAccountHistory(world, board, chain));
  const units = Object.values(COLLATERAL_TOKENS).map((token) => runAtOnce(holdings.balanceOf(token, address, block)));
  return Number(units.reduce((sum, one) => sum + one, 0n)) / 1e6;
}

it.each(['venue_a', 'venue_b'])(
  'the NAV of a wallet of %s is read from the venue, and for 20 s returned again',
  async (provider) => {
    const world = createWorld({ seed: 1, rate: 10, events: 2, coins: 3 });
    const address = world.population.accounts[NTH]!;
    const bound = await post('/v1/me/wallets', { provider, address, label: 'nav' });
    const { id } = bound.body as { id: string };
    const path = `/v1/me/wallets/${id}/nav`;
    const nav = await get<WalletNav>(service, path);
    expect(nav).toMatchObject({ walletId: id, address });
    expect(Math.abs(Date.now() - Date.parse(nav.asOf!))).toBeLessThan(60_000);
    if (provider === 'venue_b') {
      // The account may trade while it is read.
      const head = blockHolding(Date.parse(nav.asOf!));
      const cash = Array.from({ length: 8 }, (_, at) => cashAt(world, address, head - 2 + at));
      expect(cash).toContain(nav.cashUsdc);
      expect(nav.positionsValueUsdc).toBeGreaterThan(0);
      expect(nav.navUsdc).toBeCloseTo(nav.cashUsdc! + nav.positionsValueUsdc!, 9);
    } else {
      expect(nav).toMatchObject({ cashUsdc: null, positionsValueUsdc: null });
      expect(nav.navUsdc).toBeGreaterThan(0);
    }
    expect(await get(service, path)).toEqual(nav);
    expect(await get(service, '/v1/me/wallets/nav')).toMatchObject({ wallets: expect.arrayContaining([nav]) });
  },
);

it('a backfill adds the past fills of a wallet to the trades of their events, once, even if it is repeated', async () => {
  const seen = await until('a fill on the chain', async () => (await chainTrades()).find(({ maker }) => maker) ?? null);
  const wallet = seen.maker!;
  const bound = await post('/v1/me/wallets', { provider: 'venue_b', address: wallet, label: 'w' });
  expect(bound.status).toBe(201);
  const walletId = (bound.body as { id: string }).id;
  const path = `/v1/me/wallets/${walletId}/history-backfill?lookback_days=1`;

  const first = await backfill(path);
  expect(first.status, JSON.stringify(first.body)).toBe(200);
  const { requestId, fills, scanned } = first.body as Backfilled;
  const state = await get<Backfilled & { walletId: string; status: string }>(service, `/v1/me/backfills/${requestId}`);
  expect(state).toMatchObject({ requestId, walletId, status: 'done', reason: null, fills, scanned });
  expect(first.headers.get('x-quota-sku')).toBe('api.request');
  expect(fills).toBeGreaterThan(1);
  // A block of the simulator takes two seconds.
  expect(Number(scanned.toBlock) - Number(scanned.fromBlock)).toBeGreaterThan(BEFORE_MS / 2_000);
  expect(Number(scanned.toBlock) - Number(scanned.fromBlock)).toBeLessThanOrEqual(43_200);

  const past = async () =>
    (await chainTrades()).filter(
      ({ maker, taker, ts }) => (maker === wallet || taker === wallet) && Date.parse(ts) < startedAt - BEFORE_MS,
    );
  const backfilled = await until('past fills among the trades', async () => {
    const found = await past();
    return found.length > 0 ? found : null;
  });
  expect(new Set(backfilled.map(({ status }) => status))).toEqual(new Set(['confirmed']));

  const fillIds = async () => {
    const page = await get<{ fills: { id: string }[] }>(service, `/v1/me/fills?walletId=${walletId}&limit=500`);
    return page.fills.map(({ id }) => id);
  };
  const own = await until('the fills of the scanned blocks in the ledger', async () => {
    const found = await fillIds();
    return found.length >= Math.min(500, fills) ? found : null;
  });
  expect(new Set(own).size).toBe(own.length);

  const again = await backfill(path);
  expect(again.status).toBe(200);
  // The day that is scanned began some seconds later, so its oldest fills may have left it.
  expect((again.body as Backfilled).fills).toBeGreaterThanOrEqual(fills - 2);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const after = await past();
  const ids = after.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  // Newer trades may push those of busy markets off the page; all others must still be listed.
  const before = new Set(backfilled.map(({ id }) => id));
  expect(ids.filter((id) => before.has(id)).length).toBeGreaterThan(0);
}, 400_000);

it('a backfill ends when the last binding of its account is removed', async () => {
  const address = createWorld({ seed: 1, rate: 10, events: 2, coins: 3 }).population.accounts[NTH - 1]!;
  const bound = await post('/v1/me/wallets', { provider: 'venue_b', address, label: 'removed' });
  const { id } = bound.body as { id: string };
  const scan = post(`/v1/me/wallets/${id}/history-backfill?lookback_days=30`);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const removed = await fetch(`${service.rest}/v1/me/wallets/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${TEST_TOKEN}` },
    signal: AbortSignal.timeout(40_000),
  });
  expect(removed.status).toBe(204);
  // It was still running: 30 days take longer.
  expect((await scan).status).toBe(404);
});
