import { describe, expect, it } from 'vitest';
import { openSocket, post, until } from '../../client.fixture.ts';
import { startSimulator } from '../../start-simulator.ts';
import { DAY_MS, HOUR_MS } from '../../world/time.ts';
import { createWorld } from '../../world/world.ts';
import { createInfo } from './info.ts';
import { createMarkets } from './market.ts';

const SETTINGS = { seed: 4, rate: 100, events: 3, coins: 4 };
const HOUR = Date.UTC(2026, 2, 3, 17);
const NOON = Date.UTC(2026, 2, 3, 12);

const world = createWorld(SETTINGS);
const info = createInfo(world, createMarkets(world));
const answer = async (body: object, atMs: number) => JSON.parse((await info(body, atMs)).text) as never;

interface Meta {
  readonly universe: readonly { readonly name: string; readonly isDelisted?: boolean }[];
}
const listedIn = ({ universe }: Meta) => universe.filter(({ isDelisted }) => !isDelisted).map(({ name }) => name);

/** All perps, pairs and contracts that the venue's lists contain as listed. */
async function listedAt(atMs: number): Promise<string[]> {
  const metas = (await answer({ type: 'allPerpMetas' }, atMs)) as Meta[];
  return [...metas.flatMap(listedIn), ...listedIn(await answer({ type: 'spotMeta' }, atMs))];
}
const dexesAt = async (atMs: number) => {
  const dexes = (await answer({ type: 'perpDexs' }, atMs)) as ({ name: string } | null)[];
  return dexes.map((dex) => dex?.name ?? '');
};
/** What an hour mark adds to the lists, and what it removes. */
async function changesAt(hourMs: number) {
  const [before, after] = [await listedAt(hourMs - 1), await listedAt(hourMs)];
  return {
    listed: after.filter((coin) => !before.includes(coin)),
    delisted: before.filter((coin) => !after.includes(coin)),
  };
}

describe("the lists of venue_a's markets", () => {
  it('have a new market and lack one at every hour, perps, pairs and contracts in turn', async () => {
    const kindOf = (coin: string) => (coin.startsWith('@') ? 'pair' : coin.includes(':') ? 'contract' : 'perp');
    const kinds: string[] = [];
    const everListed = new Set<string>();
    for (let hour = HOUR + HOUR_MS; hour < HOUR + 18 * HOUR_MS; hour += HOUR_MS) {
      const { listed, delisted } = await changesAt(hour);
      expect([listed.length, delisted.length], new Date(hour).toISOString()).toEqual([1, 1]);
      expect(everListed.has(listed[0]!)).toBe(false);
      everListed.add(listed[0]!);
      expect(kindOf(delisted[0]!)).toBe(kindOf(listed[0]!));
      kinds.push(kindOf(listed[0]!));
      expect(await listedAt(hour + HOUR_MS - 1)).toEqual(await listedAt(hour));
    }
    expect(new Set(kinds.slice(0, 3)).size).toBe(3);
    expect(kinds.slice(3)).toEqual(kinds.slice(0, -3));
  });

  it('flag a delisted perp and contract for hours, at a place that it keeps', async () => {
    for (const dex of ['', 'lun']) {
      const universeAt = async (atMs: number) => ((await answer({ type: 'meta', dex }, atMs)) as Meta).universe;
      const first = await universeAt(HOUR);
      const delisted = first.findIndex(({ isDelisted }) => isDelisted);
      expect(first.filter(({ isDelisted }) => isDelisted)).toHaveLength(6);
      for (let hour = HOUR; hour < HOUR + 24 * HOUR_MS; hour += HOUR_MS) {
        const universe = await universeAt(hour);
        expect(universe).toHaveLength(first.length);
        const unchanged = universe.filter(({ name }, place) => name === first[place]!.name);
        expect(unchanged.length).toBeGreaterThanOrEqual(first.length - (hour - HOUR) / (3 * HOUR_MS) - 1);
      }
      const [later] = (await universeAt(HOUR + 24 * HOUR_MS)).slice(delisted);
      expect(later!.name).not.toBe(first[delisted]!.name);
    }
  });

  it('have a new dex with a contract each day at noon, which is delisted a day later; the dex ends after two days', async () => {
    const [before, after] = [await dexesAt(NOON - 1), await dexesAt(NOON)];
    const [name] = after.filter((dex) => !before.includes(dex));
    expect(after).toHaveLength(before.length);
    const metaOf = async (atMs: number) => (await answer({ type: 'meta', dex: name }, atMs)) as Meta;
    const coin = `${name}:GOLD`;
    expect((await metaOf(NOON)).universe).toMatchObject([{ name: coin }]);
    expect(listedIn(await metaOf(NOON + DAY_MS - 1))).toEqual([coin]);
    expect((await metaOf(NOON + DAY_MS)).universe).toMatchObject([{ name: coin, isDelisted: true }]);
    expect(await dexesAt(NOON + 2 * DAY_MS - 1)).toContain(name);
    expect(await dexesAt(NOON + 2 * DAY_MS)).not.toContain(name);
    expect((await info({ type: 'meta', dex: name }, NOON + 2 * DAY_MS)).status).toBe(422);
  });
});

describe('a market that is listed for some hours', () => {
  interface Bar {
    readonly t: number;
    readonly n: number;
  }
  type Trade = { readonly time: number; readonly coin: string };
  const tradesOf = async (coin: string, atMs: number) =>
    (await answer({ type: 'recentTrades', coin }, atMs)) as Trade[];
  const barsOf = async (coin: string, atMs: number) => {
    const req = { coin, interval: '1m', startTime: HOUR - DAY_MS, endTime: atMs };
    return (await answer({ type: 'candleSnapshot', req }, atMs)) as Bar[];
  };

  it.each([0, 1, 2])('has trades and bars only from its listing until it is delisted (%i h later)', async (hours) => {
    const listedMs = HOUR + hours * HOUR_MS;
    const delistedMs = listedMs + 6 * HOUR_MS;
    const [coin] = (await changesAt(listedMs)).listed;
    expect((await changesAt(delistedMs)).delisted).toEqual([coin]);
    expect((await info({ type: 'recentTrades', coin }, listedMs - 1)).status).toBe(422);
    expect(await barsOf(coin!, listedMs - 1)).toEqual([]);
    for (const atMs of [listedMs + HOUR_MS, delistedMs + HOUR_MS, delistedMs + 40 * HOUR_MS]) {
      const [newest] = await tradesOf(coin!, atMs);
      expect(newest).toMatchObject({ coin });
      const bars = await barsOf(coin!, atMs);
      expect(bars[0]!.t).toBeGreaterThanOrEqual(listedMs);
      expect(bars.at(-1)!.t).toBeLessThan(Math.min(atMs + 1, delistedMs));
      expect(bars.reduce((sum, { n }) => sum + n, 0)).toBeGreaterThan(100);
      expect(newest!.time).toBeLessThan(Math.min(atMs, delistedMs));
    }
  });

  it('has no book before its listing, then levels, and afterwards none as a perp and null as a pair', async () => {
    const bookOf = (coin: string, atMs: number) => answer({ type: 'l2Book', coin }, atMs);
    for (const hours of [0, 1, 2]) {
      const listedMs = HOUR + hours * HOUR_MS;
      const coin = (await changesAt(listedMs)).listed[0]!;
      expect(await bookOf(coin, listedMs - 1)).toBeNull();
      expect((await bookOf(coin, listedMs)) as object).toMatchObject({
        coin,
        levels: [{ length: 20 }, { length: 20 }],
      });
      const later = await bookOf(coin, listedMs + 6 * HOUR_MS);
      if (coin.startsWith('@')) expect(later).toBeNull();
      else expect(later as object).toMatchObject({ coin, levels: [[], []] });
    }
  });
});

describe('subscriptions around an hour mark', () => {
  it('a new coin can be subscribed from its listing on, and that to a delisted pair ends when the client ends it', async () => {
    // The hour whose delisted market is a pair.
    const hours = [0, 1, 2].map((hour) => HOUR + hour * HOUR_MS);
    const changes = await Promise.all(hours.map(changesAt));
    const nth = changes.findIndex(({ listed }) => listed[0]!.startsWith('@'));
    const { listed, delisted } = changes[nth]!;
    let nowMs = hours[nth]! - 1_000;
    const simulator = await startSimulator({ ...SETTINGS, faults: [], wallClock: () => nowMs });
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    const send = (method: string, coin: string) => socket.send({ method, subscription: { type: 'trades', coin } });
    const replies = (text: string) => socket.texts.filter((frame) => frame.includes(text)).length;
    const pair = delisted[0]!;
    send('subscribe', listed[0]!);
    await until('the refusal', () => replies('Invalid subscription'));
    send('subscribe', pair);
    await until('the subscription', () =>
      replies(`{"method":"subscribe","subscription":{"type":"trades","coin":"${pair}"}}`),
    );

    nowMs += 2_000;
    await until('the hour', async () => (await simulator.stats()).simulatedUntilMs >= nowMs);
    send('subscribe', listed[0]!);
    await until('the subscription', () => replies(`"coin":"${listed[0]}"}}`));
    const lists = (await post(`${simulator.urls.venueAApiUrl}/info`, { type: 'spotMeta' })).text;
    expect(lists).toContain(`"${listed[0]}"`);
    expect(lists).not.toContain(`"${pair}"`);
    send('unsubscribe', pair);
    await until('the end', () => replies(`{"method":"unsubscribe","subscription":{"type":"trades","coin":"${pair}"}}`));
    expect((await simulator.stats()).sockets['venue_a.ws'].subscriptions).toBe(1);
    send('subscribe', pair);
    await until('the refusal', () => replies('Invalid subscription') === 2);
    socket.close();
    await simulator.close();
  });
});
