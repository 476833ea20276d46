/** What the service states of bound accounts of both venues equals what is true of them, also after every upstream failed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpTarget } from '../../simulator/faults/fault-board.ts';
import { type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import { createWorld } from '../../simulator/world/world.ts';
import { expectStatus, sendRequest } from './rest-client.ts';
import { eventually, get, type Service, startService, temporaryFolder } from './service.ts';
import { isTrueNav, readTruth } from './simulated-truth.ts';
import { upstreams } from './upstreams.ts';
import {
  type Body,
  explain,
  fillsOf,
  legsOf,
  statedFillOfVenueA,
  statedFillOfVenueB,
  trueFillOfVenueA,
  trueFillOfVenueB,
} from './wallet-figures.ts';

const WORLD = { seed: 9, rate: 2, events: 4, coins: 3 };
/** Venue_a allows twelve times as much as in a real minute. */
const MINUTE_MS = 5_000;
const world = createWorld(WORLD);
/** One of each mode of venue_a; they hardly ever trade on venue_b. */
const ACCOUNTS = [390, 391, 392, 393, 394].map((nth) => world.population.accounts[nth]!);
/** An account with a token that has no price. */
const UNPRICED = world.population.accounts[399]!;
/** Accounts that are also bound on venue_b. */
const ON_CHAIN = ACCOUNTS.slice(0, 2);
const LOADED_WITHIN_MS = 60_000;
/** What a backfill of a day finds. */
const dayAgo = () => Date.now() - 86_000_000;
/** Tokens of questions that were listed within that day and resolved before the service started: the last hourly one. */
let resolvedTokens: readonly string[];

type Venue = 'venue_a' | 'venue_b';
interface Wallet {
  readonly id: string;
  readonly venue: Venue;
  readonly address: string;
}
const folder = temporaryFolder('parallax-money');
let simulator: Simulator;
let simulatorUrl: string;
let service: Service;
const wallets: Wallet[] = [];

async function bind(venue: Venue, address: string): Promise<Wallet> {
  const body = { provider: venue, address, label: 'w' };
  const response = await expectStatus(201, service, 'POST', '/v1/me/wallets', { body });
  return { id: response.body.id, venue, address };
}
const walletsOn = (venue: Venue) => wallets.filter((wallet) => wallet.venue === venue);
const read = (path: string) => get<Body>(service, path);

/** Tokens of questions whose result is some minutes old, but not an hour: then they are redeemed, and the truth omits them. */
function tokensResolvedLately(): string[] {
  const now = Date.now();
  return world.venueB.slots
    .map(({ index }) => world.venueB.earlier(index, now, 1))
    .filter(({ listedAtMs, settledAtMs }) => listedAtMs > dayAgo() && now - settledAtMs > 60_000)
    .filter(({ settledAtMs }) => now - settledAtMs < 50 * 60_000)
    .flatMap((question) => world.idsOf(question).tokenIds);
}

/** An account with a book of one of these tokens; null if there are none, as in the first minutes of some hours. */
async function holderOf(tokens: readonly string[]): Promise<string | null> {
  if (tokens.length === 0) return null;
  for (const address of world.population.accounts.slice(30, 200)) {
    const { books, fills } = (await readTruth(simulatorUrl, address, Date.now() - 1_000)).venue_b;
    if (books.some(({ asset }) => tokens.includes(asset)) && fills.some(({ asset }) => tokens.includes(asset)))
      return address;
  }
  throw new Error('no account traded a token that was resolved lately');
}

beforeAll(async () => {
  simulator = await startSimulator({ ...WORLD, minuteMs: MINUTE_MS, faults: [] });
  simulatorUrl = new URL(simulator.nodeUrl).origin;
  resolvedTokens = tokensResolvedLately();
  const holder = await holderOf(resolvedTokens);
  const flags = ['--venues', 'sim', '--sim-minute-ms', `${MINUTE_MS}`, '--log-level', 'warn'];
  service = await startService({ dataDir: folder.path, flags, env: upstreams(simulator) });
  for (const address of ACCOUNTS) wallets.push(await bind('venue_a', address));
  for (const address of [...ON_CHAIN, ...(holder ? [holder] : [])]) wallets.push(await bind('venue_b', address));
}, 120_000);
afterAll(async () => {
  await service?.stop();
  await simulator?.close();
  folder.remove();
});

const sum = (numbers: readonly (number | null)[]) => numbers.reduce<number>((all, one) => all + (one ?? 0), 0);

describe('the fills and ledgers of venue_a', () => {
  it('equal the truth, and rows are the sums of what explains them', async () => {
    const stats = () => read('/v1/me/stats?groupBy=wallet&provider=venue_a_perp');
    const { data } = await eventually(
      stats,
      ({ data: rows }) => rows.every((row: Body) => row.tradeCount !== null),
      LOADED_WITHIN_MS,
    );
    let compared = 0;
    for (const wallet of walletsOn('venue_a')) {
      const through = Date.parse(data.find((row: Body) => row.walletId === wallet.id).fillsThrough);
      const truth = (await readTruth(simulatorUrl, wallet.address, through)).venue_a;
      const fills = (await fillsOf(service, wallet.id)).filter(({ ts }) => Date.parse(ts) <= through);
      const stated = fills.map(statedFillOfVenueA);
      const real = (truth.fills as Body[]).map(trueFillOfVenueA);
      expect(stated.sort()).toEqual(real.sort());

      const { rows, legs, total } = await legsOf(service, wallet.id);
      const books = truth.books.map(({ coin, realized, openPosition, fees }) => [
        coin,
        +realized,
        +openPosition,
        +fees,
      ]);
      const feesOf = (coin: string) => rows.find((row) => row.legs.some((leg: Body) => leg.marketId === coin)).fees;
      const own = legs.map((leg) => [leg.marketId, leg.realized, leg.openPosition, feesOf(leg.marketId)]);
      // A fill that came after the truth was read changes a book.
      if ((await fillsOf(service, wallet.id)).length === fills.length) {
        expect(own.sort()).toEqual(books.sort());
        compared += 1;
      }
      expect(total.realized).toBeCloseTo(sum(rows.map(({ realized }) => realized)), 9);
      expect(total.fees).toBeCloseTo(sum(rows.map(({ fees }) => fees)), 9);
      const [leg] = legs;
      const explained = await explain(service, wallet.id, leg, [null]);
      const events = explained.flatMap((book) => book.events);
      expect(sum(events.map(({ realized }) => realized))).toBeCloseTo(leg.realized, 9);
      expect(sum(events.map(({ fee }) => fee))).toBeCloseTo(feesOf(leg.marketId), 9);
      expect(events.filter(({ kind }: Body) => kind === 'fill')).toHaveLength(leg.tradeCount);
    }
    expect(compared).toBeGreaterThan(0);
    const { total } = await read('/v1/me/pnl?provider=venue_a_perp&limit=500');
    for (const groupBy of ['event', 'wallet', 'builder']) {
      const grouped = await read(`/v1/me/pnl?provider=venue_a_perp&groupBy=${groupBy}&limit=500`);
      for (const figure of ['realized', 'fees'] as const) {
        const rowSum = sum(grouped.data.map((row: Body) => row[figure]));
        expect(rowSum, groupBy).toBeCloseTo(grouped.total[figure] ?? 0, 6);
        // Books without a builder are in no row by builder.
        if (groupBy !== 'builder') expect(grouped.total[figure], groupBy).toBe(total[figure]);
      }
    }
  }, 120_000);
});

describe('the fills and ledgers of venue_b', () => {
  it('equal the truth once the history is loaded', async () => {
    const scans = walletsOn('venue_b').map(async ({ id }) => {
      const path = `/v1/me/wallets/${id}/history-backfill?lookback_days=1`;
      const { body, status } = await sendRequest(service, 'POST', path);
      expect([200, 202]).toContain(status);
      // Two run at once, and one may take longer than a response is waited for.
      const state = () => read(`/v1/me/backfills/${body.requestId}`);
      const ended = await eventually(state, ({ endedAt }) => endedAt !== null, 60_000);
      expect([ended.status, ended.reason]).toEqual(['done', null]);
    });
    await Promise.all(scans);
    const since = dayAgo();
    const until = Date.now() + 300_000;
    // Of questions that were listed before, the scanned day lacks some events.
    const tokens = world.venueB.slots
      .map(({ index }) => world.venueB.liveIn(index, Date.now()))
      .filter(({ listedAtMs, expiresAtMs }) => listedAtMs > since && expiresAtMs > until)
      .flatMap((question) => world.idsOf(question).tokenIds);
    let compared = 0;
    let settled = 0;
    for (const wallet of walletsOn('venue_b')) {
      const fillsAndBooks = async () => {
        // The newest blocks may not be followed yet.
        const at = Date.now() - 10_000;
        const truth = (await readTruth(simulatorUrl, wallet.address, at)).venue_b;
        const books = truth.books.filter(({ asset }) => tokens.includes(asset) || resolvedTokens.includes(asset));
        const real = [
          ...truth.fills.filter(({ ts }) => ts > since).map(trueFillOfVenueB),
          ...books.map(({ asset, builder, realized, openPosition }) =>
            [asset, builder, +realized, +openPosition].join(' '),
          ),
        ];
        const known = new Set(truth.books.map(({ asset }) => asset));
        const fills = (await fillsOf(service, wallet.id)).filter(({ ts, ownTokenId }) => {
          return Date.parse(ts) > since && Date.parse(ts) <= at && known.has(ownTokenId);
        });
        const { legs } = await legsOf(service, wallet.id);
        const stated = fills.map(statedFillOfVenueB);
        for (const { asset, builder } of books) {
          const leg = legs.find(({ tokenId }) => tokenId === asset);
          const [explained] = leg ? await explain(service, wallet.id, leg, [builder]) : [];
          if (!explained) continue;
          const { realized, openPosition } = explained.book;
          stated.push([asset, builder, realized ?? 0, openPosition].join(' '));
        }
        compared += books.length;
        settled += books.filter(({ asset }) => resolvedTokens.includes(asset)).length;
        return { real: real.sort(), stated: stated.sort() };
      };
      const isEqual = ({ real, stated }: { real: string[]; stated: string[] }) => real.join() === stated.join();
      const { real, stated } = await eventually(fillsAndBooks, isEqual, 20_000).catch(fillsAndBooks);
      expect(stated).toEqual(real);
    }
    expect(compared).toBeGreaterThan(0);
    if (resolvedTokens.length > 0) expect(settled).toBeGreaterThan(0);
  }, 120_000);
});

/** Legs of rows of venue_b whose coverage is complete, beside the truth of their tokens. */
async function completeLegs(wallet: Wallet, since: number) {
  const truth = (await readTruth(simulatorUrl, wallet.address, Date.now() - 6_000)).venue_b;
  const earlier = new Set(truth.fills.filter(({ ts }) => ts <= since).map(({ asset }) => asset));
  const { rows } = await legsOf(service, wallet.id);
  const complete = rows.filter(({ coverage }) => coverage === 'complete').flatMap((row) => row.legs);
  return complete.flatMap(({ tokenId, realized, openPosition }) => {
    const books = truth.books.filter(({ asset }) => asset === tokenId);
    if (books.length === 0 || earlier.has(tokenId)) return [];
    const real = [sum(books.map((book) => +book.realized)), sum(books.map((book) => +book.openPosition))];
    return [{ stated: [tokenId, realized ?? 0, openPosition], real: [tokenId, ...real] }];
  });
}
const rounded = (figures: readonly unknown[]) =>
  figures.map((one) => (typeof one === 'number' ? one.toFixed(6).replace(/^-(?=[0.]+$)/, '') : one)).join(' ');

describe('what accounts are worth', () => {
  it('equals the truth, and every route returns the same figures for one acquisition', async () => {
    for (const wallet of wallets) {
      const { venue, address } = wallet;
      const readAll = async () => {
        const nav = await read(`/v1/me/wallets/${wallet.id}/nav`);
        const { body } = await sendRequest(service, 'POST', '/v1/accounts/batch', { body: { users: [address] } });
        return {
          nav,
          legacy: (await read(`/v1/portfolio/legacy?user=${address}&provider=${venue}`)).slices[0],
          row: (await read(`/v1/me/stats?mode=live&groupBy=wallet&walletId=${wallet.id}`)).data[0],
          batch: body.results[0],
          head: (await read(`/v1/portfolio?user=${address}&provider=${venue}`)).balanceHead?.slices[0],
          // No other acquisition was made meanwhile.
          isOne: (await read(`/v1/me/wallets/${wallet.id}/nav`)).asOf === nav.asOf,
        };
      };
      const { nav, legacy, row, batch, head } = await eventually(readAll, ({ isOne, head }) => isOne && head);
      const { native: _native, ...figures } = legacy;
      expect([legacy.navUsd, row.accountValueUsd, row.accountValueAsOf]).toEqual([nav.navUsdc, nav.navUsdc, nav.asOf]);
      expect(head).toEqual(figures);
      if (venue === 'venue_a') {
        const { buckets, accountMode } = legacy;
        const { unrealizedPnlUsd } = row;
        expect(batch).toEqual({ address, valueUsd: nav.navUsdc, buckets, unrealizedPnlUsd, accountMode });
        expect(sum(buckets.map(({ usd }: Body) => usd))).toBeCloseTo(legacy.valueUsd, 6);
      }
      // Prices may change while an account is read; then the next value is compared.
      const isTrue = async () => {
        const { navUsdc, asOf } = await read(`/v1/me/wallets/${wallet.id}/nav`);
        const truth = (await readTruth(simulatorUrl, address, Date.parse(asOf)))[venue];
        // The truth has no price of a side of a question.
        return truth.navUsd === null || isTrueNav(simulatorUrl, { venue, address, asOf, nav: navUsdc });
      };
      await eventually(isTrue, Boolean, 50_000);
    }
    const { id } = await bind('venue_a', UNPRICED);
    expect((await sendRequest(service, 'GET', `/v1/me/wallets/${id}/nav`)).status).toBe(502);
  }, 180_000);

  it('follows from deposits and profit, and returns from the true flows', async () => {
    for (const { id, address } of walletsOn('venue_a').slice(0, 3)) {
      const roi = await read(`/v1/me/wallets/${id}/roi`);
      expect(roi.status, JSON.stringify(roi)).toBe('ready');
      const { flows } = (await readTruth(simulatorUrl, address, Date.parse(roi.endAt))).venue_a;
      const since = Math.max(Date.parse(roi.startAt), flows[0]!.ts - 1);
      const real = flows.filter(({ ts }) => ts > since).map(({ ts, usd }) => [ts, +usd]);
      const stated = roi.flows
        .map(({ ts, usd }: Body) => [Date.parse(ts), usd])
        .filter(([ts]: number[]) => ts! > since);
      expect(stated).toEqual(real);
      expect(sum(roi.flows.map(({ usd }: Body) => usd))).toBeCloseTo(roi.netDepositsUsd, 6);
      expect(roi.endNavUsd - roi.startNavUsd - roi.netDepositsUsd).toBeCloseTo(roi.netPnlUsd, 6);
      const { windows } = await read(`/v1/portfolio/performance?user=${address}&provider=venue_a`);
      const points = Object.values<Body>(windows).flatMap(({ series }) => series.flatMap((one: Body) => one.points));
      expect(points.length).toBeGreaterThan(10);
      for (const { navUsdc, netDepositsUsdc, pnl } of points) expect(navUsdc).toBeCloseTo(netDepositsUsdc + pnl, 6);
    }
  }, 60_000);
});

const TARGETS = ['venue_a.info', 'venue_b.data', 'venue_b.rpc'] as const;
/** Upstreams that no figure of an account is read from. */
const UNREAD = ['venue_a.stats', 'venue_b.gamma', 'venue_b.clob'] as const;
/** With the curves of venue_b. */
const OTHERS = ['venue_b.pnl', ...UNREAD] as const;
const HANGING_MS = 60_000;
const ALWAYS = Number.POSITIVE_INFINITY;
const FAULTS = {
  down: (target: HttpTarget) => simulator.faults.errors(target, ALWAYS, 503),
  hanging: (target: HttpTarget) => simulator.faults.slow(target, ALWAYS, HANGING_MS),
  slow: (target: HttpTarget) => simulator.faults.slow(target, ALWAYS, SLOW_MS),
  limited: (target: HttpTarget) => simulator.faults.rateLimit(target, ALWAYS),
  malformed: (target: HttpTarget) => simulator.faults.malformed(target, ALWAYS),
  'cut off': (target: HttpTarget) => simulator.faults.cutOff(target, ALWAYS),
  incomplete: (target: HttpTarget) => simulator.faults.incomplete(target, ALWAYS),
};
const SLOW_MS = 1_500;
const SINGLY = ['down', 'malformed', 'incomplete'] as const;
/** Accounts that nothing is known of yet. */
let nextAccount = 200;

/** Reads all routes at once, and returns what is wrong with their responses. None takes longer than 30 s. */
async function wrongAnswers(address: string, [onA, onB]: readonly [Wallet, Wallet]): Promise<string[]> {
  const wrong: string[] = [];
  const check = async (
    request: { readonly path: string; readonly body?: unknown },
    errors: readonly number[],
    find: (body: Body) => unknown | Promise<unknown>,
  ) => {
    const { path, body } = request;
    const response = await sendRequest(service, body ? 'POST' : 'GET', path, body ? { body } : {});
    const isWrong = response.status === 200 ? (await find(response.body)) !== true : !errors.includes(response.status);
    if (isWrong) wrong.push(`${path}: ${response.status} ${JSON.stringify(response.body).slice(0, 800)}`);
  };
  const isTrue = (venue: Venue, nav: number, asOf: string) =>
    isTrueNav(simulatorUrl, { venue, address, asOf, nav, isMixed: true });
  const isNav = (venue: Venue) => (nav: Body) => isTrue(venue, nav.navUsdc, nav.asOf);
  const now = () => new Date(Date.now() - 1_000).toISOString();
  await Promise.all([
    check({ path: `/v1/me/wallets/${onA.id}/nav` }, [429, 502], isNav('venue_a')),
    check({ path: `/v1/me/wallets/${onB.id}/nav` }, [429, 502], isNav('venue_b')),
    check({ path: `/v1/me/wallets/nav?walletAddress=${address}` }, [], async ({ wallets: rows, warnings }) => {
      const found = await Promise.all(rows.map((row: Body) => isNav(row.provider.slice(0, 7) as Venue)(row)));
      return found.every(Boolean) && rows.length + warnings.length === 2;
    }),
    check({ path: `/v1/me/wallets/${onA.id}/pnl-curve?window=1D` }, [429, 502], ({ points }) => points.length > 10),
    check({ path: `/v1/me/wallets/${onB.id}/pnl-curve?window=1D` }, [429, 502], () => true),
    check({ path: `/v1/me/wallets/${onA.id}/nav-curve?window=1D` }, [429, 502], ({ points }) => points.length === 0),
    check({ path: `/v1/me/wallets/${onB.id}/nav-curve?window=1D` }, [429, 502], ({ points }) => points.length === 0),
    check({ path: `/v1/me/wallets/${onA.id}/roi` }, [429, 502], (roi) =>
      roi.status === 'ready'
        ? isTrue('venue_a', roi.endNavUsd, roi.endAt)
        : roi.endNavUsd === null && roi.netPnlUsd === null,
    ),
    check(
      { path: `/v1/me/wallets/${onB.id}/roi` },
      [429, 502],
      (roi) => roi.status === 'unavailable' && roi.netPnlUsd === null,
    ),
    check(
      { path: `/v1/me/stats?mode=live&groupBy=wallet&roi=true&walletAddress=${address}` },
      [],
      async ({ data, total }) => {
        const known = data.filter(({ accountValueUsd }: Body) => accountValueUsd !== null);
        const found = await Promise.all(
          known.map((row: Body) => isTrue(row.provider.slice(0, 7), row.accountValueUsd, row.accountValueAsOf)),
        );
        const isSum = total.accountValueUsd !== null || known.length === 0;
        // Without all fills there are no figures of them.
        const { fills } = (await readTruth(simulatorUrl, address, Date.now() - 1_000)).venue_a;
        const { tradeCount } = data.find((row: Body) => row.provider !== 'venue_b');
        return data.length === 2 && found.every(Boolean) && isSum && [null, fills.length].includes(tradeCount);
      },
    ),
    check({ path: `/v1/positions?user=${address}` }, [], async ({ positions, warnings }) => {
      const truth = await readTruth(simulatorUrl, address, Date.now() - 500);
      const count = (provider: string) => positions.filter((row: Body) => row.provider === provider).length;
      const isWarned = (provider: string) => warnings.some((warning: Body) => warning.provider === provider);
      const open = truth.venue_a.books.filter(({ openPosition }) => openPosition !== '0').length;
      const has = (provider: string, expected: number) => isWarned(provider) || count(provider) === expected;
      return has('venue_a', open) && has('venue_b', truth.venue_b.positions.length);
    }),
    check({ path: '/v1/accounts/batch', body: { users: [address] } }, [], ({ results: [row], summary }) =>
      row.valueUsd === null
        ? row.note !== undefined && summary.totalValueUsd === null
        : isTrue('venue_a', row.valueUsd, now()),
    ),
    check({ path: `/v1/portfolio/legacy?user=${address}&fresh=1` }, [502], async ({ slices }) => {
      const found = slices.map(({ provider, navUsd }: Body) => isTrue(provider, navUsd, now()));
      return slices.length === 2 && (await Promise.all(found)).every(Boolean);
    }),
    check({ path: `/v1/me/pnl?walletAddress=${address}&groupBy=wallet` }, [], async ({ data }) => {
      const { realized, coverage } = data.find((row: Body) => row.provider !== 'venue_b');
      const { books } = (await readTruth(simulatorUrl, address, Date.now() - 1_000)).venue_a;
      const isExact = Math.abs(realized - sum(books.map((book) => +book.realized))) < 1e-9;
      return data.length === 2 && (realized === null || coverage === 'partial' || isExact);
    }),
    check({ path: `/v1/me/fills?walletAddress=${address}&limit=100` }, [], async ({ fills }) => {
      const truth = await readTruth(simulatorUrl, address, Date.now() - 500);
      const real = new Set([
        ...(truth.venue_a.fills as Body[]).map(trueFillOfVenueA),
        ...truth.venue_b.fills.map(trueFillOfVenueB),
      ]);
      const lineOf = (fill: Body) =>
        fill.provider === 'venue_b' ? statedFillOfVenueB(fill) : statedFillOfVenueA(fill);
      return fills.every((fill: Body) => real.has(lineOf(fill)));
    }),
  ]);
  return wrong;
}

/** Accounts that are read in turn until one is found that traded nothing meanwhile. */
const ACCOUNTS_MAX = 4;
/** A venue may state what it held so long before. */
const BEHIND_MS = 4_000;

/**
 * What is wrong with an account that traded nothing while it was read. A venue states positions and cash as of different
 * moments, so the value of one that trades is true of no moment.
 */
async function wrongUndisturbed(
  find: () => Promise<{ readonly address: string; readonly wrong: string[] }>,
): Promise<string[]> {
  for (let nth = 0; nth < ACCOUNTS_MAX; nth += 1) {
    const from = Date.now() - BEHIND_MS;
    const { address, wrong } = await find();
    if (wrong.length === 0 || !(await hasTraded(address, from))) return wrong;
  }
  return [`each of ${ACCOUNTS_MAX} accounts traded while it was read`];
}

/** @param from unix ms. */
async function hasTraded(address: string, from: number): Promise<boolean> {
  const { venue_a: onA, venue_b: onB } = await readTruth(simulatorUrl, address, Date.now() - 500);
  const fills: readonly Body[] = onA.fills;
  return [...fills.map(({ time }) => time), ...[...onA.flows, ...onB.fills, ...onB.moves].map(({ ts }) => ts)].some(
    (time) => time >= from,
  );
}

describe('while an upstream fails', () => {
  const clearAll = () => Promise.all([...TARGETS, ...OTHERS].map((target) => simulator.faults.clear(target)));
  afterAll(clearAll);

  /** Binds an account that is new on both venues. */
  const bindNew = async () => {
    // The truth has no value of those with a side of a question or a token without a price.
    do nextAccount += 1;
    while (nextAccount % 4 === 1 || nextAccount % 50 === 49);
    const address = world.population.accounts[nextAccount]!;
    return { address, bound: [await bind('venue_a', address), await bind('venue_b', address)] as const };
  };

  it.each<[kind: keyof typeof FAULTS, targets: readonly HttpTarget[]]>([
    ...SINGLY.flatMap((kind) => TARGETS.map((target): [typeof kind, HttpTarget[]] => [kind, [target]])),
    ['down', ['venue_b.pnl']],
    ['malformed', ['venue_b.pnl']],
    ['hanging', UNREAD],
    ['malformed', UNREAD],
    ['slow', TARGETS],
    ['cut off', TARGETS],
    // Each response takes as long as reads are waited for.
    ['limited', TARGETS],
    ['hanging', [...TARGETS, 'venue_b.pnl']],
  ])(
    '(%s: %s) every route returns true figures, none, or an error',
    async (kind, targets) => {
      const wrong = await wrongUndisturbed(async () => {
        const { address, bound } = await bindNew();
        for (const target of targets) await FAULTS[kind](target);
        const found = await wrongAnswers(address, bound);
        for (const target of targets) await simulator.faults.clear(target);
        return { address, wrong: found };
      });
      expect(wrong, wrong.join('\n')).toEqual([]);
    },
    90_000,
  );

  it('routes that read nothing respond, and cause no request', async () => {
    const address = world.population.accounts[150]!;
    const ofAccounts = async () => {
      const { requests } = await simulator.stats();
      return [requests['venue_b.data'], requests['venue_b.pnl']];
    };
    for (const target of [...TARGETS, ...OTHERS]) await FAULTS.hanging(target);
    const paths = ['', '/performance', '/nav', '/pnl'].map((name) => `/v1/portfolio${name}?user=${address}`);
    const causeNone = async () => {
      const before = await ofAccounts();
      for (const path of paths) expect([path, (await sendRequest(service, 'GET', path)).status]).toEqual([path, 200]);
      const body = { users: [address] };
      await expectStatus(200, service, 'POST', '/v1/portfolio/performance/heads/batch', { body });
      return JSON.stringify(await ofAccounts()) === JSON.stringify(before);
    };
    // Sometimes the service reads a bound account meanwhile.
    await eventually(causeNone, Boolean, 10_000);
    for (const venue of ['venue_a', 'venue_b'] as const) {
      const { balanceHead } = await read(`/v1/portfolio?user=${ACCOUNTS[0]}&provider=${venue}`);
      expect(balanceHead.slices[0].navUsd).toBeGreaterThan(0);
    }
    await clearAll();
  }, 30_000);

  it('afterwards everything is true again', async () => {
    const first = await bindNew();
    const { bound } = first;
    const navs = () => Promise.all(bound.map(({ id }) => sendRequest(service, 'GET', `/v1/me/wallets/${id}/nav`)));
    await eventually(navs, (responses) => responses.every(({ status }) => status === 200), 60_000);
    let next: typeof first | null = first;
    const wrong = await wrongUndisturbed(async () => {
      const { address, bound: wallets } = next ?? (await bindNew());
      next = null;
      return { address, wrong: await wrongAnswers(address, wallets) };
    });
    expect(wrong, wrong.join('\n')).toEqual([]);
    const rows = async () => (await read('/v1/me/stats?groupBy=wallet')).data;
    await eventually(rows, (all) => all.every(({ fillsThrough }: Body) => fillsThrough !== null), LOADED_WITHIN_MS);
  }, 150_000);

  it('what is complete on venue_b is true', async () => {
    const since = dayAgo();
    const legs = async () =>
      (await Promise.all(walletsOn('venue_b').map((wallet) => completeLegs(wallet, since)))).flat();
    type Legs = Awaited<ReturnType<typeof legs>>;
    const areTrue = (found: Legs) =>
      found.length > 0 && found.every(({ stated, real }) => rounded(stated) === rounded(real));
    // A ledger is compared with the venue up to 90 s after it changed.
    const found = await eventually(legs, areTrue, 100_000).catch(legs);
    expect(found.map(({ stated }) => rounded(stated))).toEqual(found.map(({ real }) => rounded(real)));
    expect(found.length).toBeGreaterThan(0);
  }, 120_000);
});
