import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAwayFromHours, openSocket, post, until } from '../../client.fixture.ts';
import { type Simulator, startSimulator } from '../../start-simulator.ts';
import { createWorld } from '../../world/world.ts';
import { createAccounts } from './accounts.ts';
import { createVenueAFeed } from './feed.ts';
import { createMarkets } from './market.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({
    seed: 2,
    rate: 400,
    events: 3,
    coins: 6,
    faults: [],
    wallClock: clockAwayFromHours(),
  });
});
afterAll(async () => simulator.close());

type Json = Record<string, never>;
const info = async (body: unknown) => (await post(`${simulator.urls.venueAApiUrl}/info`, body)).body as never;
const DECIMAL = /^-?\d+\.\d+$/;

describe('info', () => {
  it('lists the configured coins first, then those of some hours, with delisted ones in their places', async () => {
    const meta = (await info({ type: 'meta' })) as { universe: { name: string; isDelisted?: boolean }[] };
    expect(meta.universe.slice(0, 3).map(({ name }) => name)).toEqual(['BTC', 'ETH', 'SOL']);
    expect(meta.universe.filter(({ isDelisted }) => !isDelisted)).toHaveLength(6 + 2);
    expect(meta.universe.filter(({ isDelisted }) => isDelisted)).toHaveLength(2 * 3);
  });

  it('returns a context for each coin of the universe, with nulls for delisted ones', async () => {
    const [meta, contexts] = (await info({ type: 'metaAndAssetCtxs' })) as [{ universe: Json[] }, Json[]];
    expect(contexts).toHaveLength(meta.universe.length);
    for (const [nth, context] of contexts.entries()) {
      const { premium, midPx, impactPxs, ...texts } = context;
      expect(Object.keys(texts).sort()).toEqual(
        ['dayBaseVlm', 'dayNtlVlm', 'funding', 'markPx', 'openInterest', 'oraclePx', 'prevDayPx'].sort(),
      );
      for (const text of Object.values(texts)) expect(text).toMatch(DECIMAL);
      if (meta.universe[nth]!.isDelisted) expect([premium, midPx, impactPxs]).toEqual([null, null, null]);
      else expect([premium, midPx].every((text) => DECIMAL.test(String(text)))).toBe(true);
    }
  });

  it('lists builder dexes, whose coins have their prefix, and one of which has none', async () => {
    const [main, ...dexes] = (await info({ type: 'perpDexs' })) as [null, ...{ name: string }[]];
    expect(main).toBeNull();
    const metas = (await info({ type: 'allPerpMetas' })) as { universe: { name: string; isDelisted?: true }[] }[];
    expect(metas.map(({ universe }) => universe.length)).toEqual([14, 3, 2 + 8, 0, 1, 1]);
    for (const [nth, { name }] of dexes.entries()) {
      const [meta, contexts] = (await info({ type: 'metaAndAssetCtxs', dex: name })) as [(typeof metas)[0], Json[]];
      expect(meta).toEqual(metas[1 + nth]);
      expect(meta.universe.every((contract) => contract.name.startsWith(`${name}:`))).toBe(true);
      expect(contexts).toHaveLength(meta.universe.length);
      expect(Object.keys(await info({ type: 'allMids', dex: name }))).toEqual(
        meta.universe.filter(({ isDelisted }) => !isDelisted).map((one) => one.name),
      );
    }
  });

  it('lists two pairs with the same names, of which one has far more volume', async () => {
    const [meta, contexts] = (await info({ type: 'spotMetaAndAssetCtxs' })) as [
      { tokens: { index: number; name: string }[]; universe: { name: string; tokens: [number, number] }[] },
      { coin: string; dayNtlVlm: string }[],
    ];
    const nameOf = (token: number) => meta.tokens.find(({ index }) => index === token)!.name;
    const named = meta.universe.filter(({ tokens }) => tokens.map(nameOf).join() === 'HYPE,USDC');
    const volumeOf = (coin: string) => Number(contexts.find((context) => context.coin === coin)!.dayNtlVlm);
    expect(named.map(({ name }) => name).sort()).toEqual(['@107', '@64']);
    expect(volumeOf('@107')).toBeGreaterThan(2 * volumeOf('@64'));
  });

  it('joins spot pairs and tokens by index and contexts by coin', async () => {
    const [meta, contexts] = (await info({ type: 'spotMetaAndAssetCtxs' })) as [
      { tokens: { index: number }[]; universe: { name: string; tokens: [number, number] }[] },
      { coin: string }[],
    ];
    const tokens = new Set(meta.tokens.map(({ index }) => index));
    for (const pair of meta.universe) expect(pair.tokens.every((index) => tokens.has(index))).toBe(true);
    expect(new Set(contexts.map(({ coin }) => coin))).toEqual(new Set(meta.universe.map(({ name }) => name)));
  });

  it('describes price outcomes as key:value pairs, and returns books, mids and trades of both coins', async () => {
    const { outcomes, questions } = (await info({ type: 'outcomeMeta' })) as {
      outcomes: { outcome: number; description: string; sideSpecs: { name: string }[]; quoteToken: string }[];
      questions: unknown[];
    };
    expect(questions).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(3);
    const mids = (await info({ type: 'allMids' })) as Record<string, string>;
    for (const { outcome, description, sideSpecs } of outcomes) {
      expect(description).toMatch(
        /^class:priceBinary\|underlying:[A-Z]+\|expiry:\d{8}-\d{4}\|targetPrice:[\d.]+\|period:\d[hd]$/,
      );
      expect(sideSpecs.map(({ name }) => name)).toEqual(['Yes', 'No']);
      const sum = Number(mids[`#${outcome * 10}`]) + Number(mids[`#${outcome * 10 + 1}`]);
      expect(sum).toBeGreaterThan(0.98);
      expect(sum).toBeLessThan(1.02);
    }
    const coin = `#${outcomes[0]!.outcome * 10 + 1}`;
    expect(await info({ type: 'l2Book', coin })).toMatchObject({ coin });
    expect(await info({ type: 'recentTrades', coin })).toBeInstanceOf(Array);
    expect(await info({ type: 'settledOutcome', outcome: outcomes[0]!.outcome })).toBeNull();
  });

  it('returns the settlement of an outcome', async () => {
    const { outcomes } = (await info({ type: 'outcomeMeta' })) as { outcomes: { outcome: number }[] };
    // Successive outcomes of a slot differ by the number of slots; the previous one is settled.
    const slots = 3 + 5 - 1;
    const settled = (await info({ type: 'settledOutcome', outcome: outcomes.at(-1)!.outcome - slots })) as {
      spec: { outcome: number };
      settleFraction: string;
      details: string;
    };
    expect(settled.spec.outcome).toBe(outcomes.at(-1)!.outcome - slots);
    expect(['1.0', '0.0']).toContain(settled.settleFraction);
    expect(settled.details).toMatch(/^price:[\d.]+$/);
  });

  it('returns books of twenty levels per side, null for an unknown market, and aggregated levels with a spread', async () => {
    const book = (await info({ type: 'l2Book', coin: 'BTC' })) as { levels: Json[][]; time: number; spread?: string };
    expect(book.levels.map((side) => side.length)).toEqual([20, 20]);
    expect(book.spread).toBeUndefined();
    expect(await info({ type: 'l2Book', coin: 'NOPE' })).toBeNull();
    const gathered = (await info({ type: 'l2Book', coin: 'BTC', nSigFigs: 3 })) as {
      levels: { px: string }[][];
      spread: string;
    };
    expect(gathered.spread).toMatch(DECIMAL);
    for (const { px } of gathered.levels.flat()) expect(Number(px) % 100).toBe(0);
  });

  it.each([
    { type: 'nothing of the kind' },
    { type: 'meta', dex: 'nope' },
    { type: 'l2Book', coin: 'BTC', nSigFigs: 7 },
    { type: 'candleSnapshot', req: { coin: 'BTC', interval: '7m', startTime: 0 } },
    'no object',
  ])('answers 422 to %j', async (body) => {
    const { status, text } = await post(`${simulator.urls.venueAApiUrl}/info`, body);
    expect([status, text]).toEqual([422, 'Failed to deserialize the JSON body into the target type']);
  });
});

describe('WebSocket', () => {
  const subscribe = (subscription: unknown) => ({ method: 'subscribe', subscription });

  it('acknowledges a subscription, sends recent trades first, and then each trade once', async () => {
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    socket.send(subscribe({ type: 'trades', coin: 'BTC' }));
    const of = (channel: string) => socket.frames().filter((frame) => frame.channel === channel);
    type Trade = { tid: number; time: number; users: string[]; side: string; hash: string };
    const trades = () => of('trades').map(({ data }) => data as Trade[]);
    await until('more trades', () => trades().length > 15);
    expect(of('subscriptionResponse')[0]).toEqual({
      channel: 'subscriptionResponse',
      data: { method: 'subscribe', subscription: { type: 'trades', coin: 'BTC' } },
    });
    const [replayed, ...live] = trades();
    expect(replayed!.length).toBe(10);
    const liveTrades = live.flat();
    expect(new Set([...replayed!, ...liveTrades].map(({ tid }) => tid)).size).toBe(10 + liveTrades.length);
    expect(Math.min(...liveTrades.map(({ time }) => time))).toBeGreaterThanOrEqual(replayed![0]!.time);
    for (const { users, side, hash, tid } of liveTrades) {
      expect(new Set(users).size).toBe(2);
      expect(['A', 'B']).toContain(side);
      expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
      expect(Number.isSafeInteger(tid) && tid < 2 ** 50).toBe(true);
    }
    socket.close();
  });

  it.each([
    [{ type: 'l2Book', coin: 'BTC' }, 'l2Book'],
    [{ type: 'l2Book', coin: '@107' }, 'l2Book'],
    [{ type: 'l2Book', coin: 'orb:GOLD' }, 'l2Book'],
    [{ type: 'bbo', coin: 'ETH' }, 'bbo'],
    [{ type: 'allMids' }, 'allMids'],
    [{ type: 'allMids', dex: 'orb' }, 'allMids'],
    [{ type: 'candle', coin: 'BTC', interval: '1m' }, 'candle'],
  ])('sends repeated frames for %j', async (subscription, channel) => {
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    socket.send(subscribe(subscription));
    await until('three frames', () => socket.frames().filter((frame) => frame.channel === channel).length >= 3);
    socket.close();
  });

  it('sends contexts, of spot coins on a separate channel', async () => {
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    socket.send(subscribe({ type: 'activeAssetCtx', coin: 'BTC' }));
    socket.send(subscribe({ type: 'activeAssetCtx', coin: '@107' }));
    const of = (channel: string) => socket.frames().find((frame) => frame.channel === channel);
    await until('both contexts', () => of('activeAssetCtx') && of('activeSpotAssetCtx'));
    expect(of('activeAssetCtx')).toMatchObject({ data: { coin: 'BTC', ctx: { premium: expect.any(String) } } });
    expect(of('activeSpotAssetCtx')).toMatchObject({
      data: { coin: '@107', ctx: { circulatingSupply: expect.any(String) } },
    });
    socket.close();
  });

  it('sends the contexts of all dexes and of all pairs in one frame each, in the order of the answers', async () => {
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    for (const type of ['allDexsAssetCtxs', 'spotAssetCtxs', 'assetCtxs'] as const)
      socket.send(subscribe(type === 'assetCtxs' ? { type, dex: 'lun' } : { type }));
    const of = (channel: string) => socket.frames().filter((frame) => frame.channel === channel);
    await until('two of each', () =>
      ['allDexsAssetCtxs', 'spotAssetCtxs', 'assetCtxs'].every((channel) => of(channel).length >= 2),
    );
    const { ctxs } = of('allDexsAssetCtxs')[0]!.data as unknown as { ctxs: [string, Json[]][] };
    expect(ctxs.map(([dex, contexts]) => `${dex} ${contexts.length}`)).toEqual([
      ...[' 14', 'orb 3', 'lun 10', 'nova 0'],
      ...[expect.stringMatching(/^d\d+ 1$/), expect.stringMatching(/^d\d+ 1$/)],
    ]);
    const pairs = of('spotAssetCtxs')[0]!.data as unknown as { coin: string }[];
    const always = ['PURR/USDC', '@107', '@142', '@151', '@64', '@232'];
    const newer = expect.stringMatching(/^@\d{5}$/);
    expect(pairs.map(({ coin }) => coin)).toEqual([...always, newer, newer]);
    const { dex, ctxs: ofDex } = of('assetCtxs')[0]!.data as unknown as { dex: string; ctxs: Json[] };
    expect([dex, ofDex.length, ofDex[0]!.markPx]).toEqual(['lun', 10, expect.any(String)]);
    socket.close();
  });

  it('answers a ping message with a pong without data, and protocol pings', async () => {
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    socket.send({ method: 'ping' });
    socket.ping();
    await until('pongs', () => socket.texts.includes('{"channel":"pong"}') && socket.pongs() === 1);
    socket.close();
  });

  it('answers info requests over post', async () => {
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    socket.send({ method: 'post', id: 7, request: { type: 'info', payload: { type: 'l2Book', coin: 'SOL' } } });
    socket.send({ method: 'post', id: 8, request: { type: 'info', payload: { type: 'nope' } } });
    const replies = await until('both answers', () => socket.frames().length === 2 && socket.frames());
    expect(replies.find((frame) => (frame.data as Json).id === (7 as never))).toMatchObject({
      channel: 'post',
      data: { response: { type: 'info', payload: { type: 'l2Book', data: { coin: 'SOL' } } } },
    });
    expect(replies.find((frame) => (frame.data as Json).id === (8 as never))).toMatchObject({
      data: { response: { type: 'error' } },
    });
    socket.close();
  });

  it('refuses unknown, duplicate and missing subscriptions', async () => {
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    const book = { type: 'l2Book', coin: 'BTC' };
    socket.send(subscribe(book));
    socket.send(subscribe(book));
    socket.send(subscribe({ type: 'l2Book', coin: 'NOPE' }));
    socket.send(subscribe({ type: 'liquidations' }));
    socket.send({ method: 'unsubscribe', subscription: book });
    socket.send({ method: 'unsubscribe', subscription: book });
    socket.send('{');
    const errors = () =>
      socket
        .frames()
        .filter(({ channel }) => channel === 'error')
        .map(({ data }) => data);
    await until('five errors', () => errors().length === 5);
    expect(errors()).toEqual([
      'Already subscribed: {"type":"l2Book","coin":"BTC"}',
      'Invalid subscription {"type":"l2Book","coin":"NOPE"}',
      expect.stringMatching(/^Error parsing JSON into valid websocket request: /),
      'Already unsubscribed: {"type":"l2Book","coin":"BTC"}',
      'Error parsing JSON into valid websocket request: {',
    ]);
    socket.close();
  });

  it('sends the fills of at most ten users, first those until now', async () => {
    const { accounts } = createWorld({ seed: 2, rate: 400, events: 3, coins: 6 }).population;
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    for (const user of accounts.slice(0, 11)) socket.send(subscribe({ type: 'userFills', user }));
    socket.send(subscribe({ type: 'userFills', user: 'nobody' }));
    const of = (channel: string) => socket.frames().filter((frame) => frame.channel === channel);
    await until('two errors', () => of('error').length === 2);
    expect(of('error').map(({ data }) => data)).toEqual([
      'Cannot track more than 10 total users.',
      'Invalid subscription {"type":"userFills","user":"nobody"}',
    ]);
    const first = of('userFills').map(({ data }) => data as { user: string; isSnapshot: boolean; fills: Json[] });
    expect(first.map(({ user, isSnapshot }) => [user, isSnapshot])).toEqual(
      accounts.slice(0, 10).map((user) => [user, true]),
    );
    expect(first[0]!.fills).toEqual((await info({ type: 'userFills', user: accounts[0] })) as Json[]);
    socket.close();
    expect((await simulator.stats()).limitsExceeded.users).toBe(1);
  });

  it('sends each fill in the step of its block', () => {
    const world = createWorld({ seed: 2, rate: 400, events: 3, coins: 6 });
    const accounts = createAccounts(world);
    const [user] = world.population.accounts as [string];
    const at = clockAwayFromHours()();
    const [newest] = accounts.userFills(user, at) as [{ time: number }];
    const sent: string[] = [];
    const publisher = {
      wants: () => false,
      publish: (topic: string, text: string) => void sent.push(topic, text),
      candleIntervals: () => [],
      users: () => new Set([user]),
    };
    const feed = createVenueAFeed(world, createMarkets(world), accounts, publisher);
    feed.endStep!(newest.time - 50, newest.time);
    feed.endStep!(newest.time, newest.time + 50);
    const frame = { channel: 'userFills', data: { user, fills: [newest] } };
    expect(sent).toEqual([`userFills ${user}`, JSON.stringify(frame)]);
  });

  it('sends no frames after an unsubscribe', async () => {
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    const book = { type: 'l2Book', coin: 'BTC' };
    socket.send(subscribe(book));
    await until('books', () => socket.frames().filter(({ channel }) => channel === 'l2Book').length > 3);
    socket.send({ method: 'unsubscribe', subscription: book });
    await until('the acknowledgement', () => socket.texts.some((text) => text.includes('"unsubscribe"')));
    const at = socket.texts.findIndex((text) => text.includes('"unsubscribe"'));
    socket.send({ method: 'ping' });
    await until('a pong', () => socket.texts.includes('{"channel":"pong"}'));
    expect(socket.texts.slice(at + 1)).toEqual(['{"channel":"pong"}']);
    socket.close();
  });
});
