import { createPublicClient, defineChain, http, webSocket } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAwayFromHours, get, openSocket, post, until } from '../../client.fixture.ts';
import { type Simulator, startSimulator } from '../../start-simulator.ts';
import { CTF_EXCHANGE, TOPIC } from './contracts.ts';

let simulator: Simulator;
const wallClock = clockAwayFromHours();
beforeAll(async () => {
  simulator = await startSimulator({ seed: 2, rate: 400, events: 6, coins: 6, faults: [], wallClock });
});
afterAll(async () => simulator.close());

type Market = Record<string, string> & { closed: boolean; endDate: string };
const gamma = async (path: string) => (await get(`${simulator.urls.venueBGammaUrl}${path}`)).body as never;
const clob = async (path: string) => (await get(`${simulator.urls.venueBClobUrl}${path}`)).body as never;
const liveMarkets = async () => (await gamma('/markets?closed=false&limit=100')) as Market[];
const tokensOf = (market: Market) => JSON.parse(market.clobTokenIds!) as [string, string];

describe('catalog', () => {
  it('phrases a question in natural language, with lists as JSON text', async () => {
    for (const market of await liveMarkets()) {
      expect(market.question).toMatch(
        /^Will the price of \w+ be (above|less than) \$[\d,.]+ on [A-Z][a-z]+ \d+(, \d+[AP]M ET)?\?$/,
      );
      expect(market.description).toMatch(/ at \d+:00 [AP]M ET \(\d\d:00 UTC\) on [A-Z][a-z]+ \d+, \d{4}\./);
      expect(JSON.parse(market.outcomes!)).toEqual(['Yes', 'No']);
      expect(tokensOf(market).every((token) => /^\d{60,78}$/.test(token))).toBe(true);
      expect(market.conditionId).toMatch(/^0x[0-9a-f]{64}$/);
      expect(market).toMatchObject({ negRisk: false, feesEnabled: true, feeSchedule: { rate: 0.07, takerOnly: true } });
    }
  });

  it('has the same questions as venue_a, to the minute', async () => {
    const { outcomes } = (await post(`${simulator.urls.venueAApiUrl}/info`, { type: 'outcomeMeta' })).body as {
      outcomes: { description: string }[];
    };
    const onVenueA = outcomes.map(({ description }) => {
      const fields = Object.fromEntries(description.split('|').map((pair) => pair.split(':')));
      return `${fields.targetPrice} ${fields.expiry}`;
    });
    const both = (await liveMarkets()).filter(({ groupItemTitle, endDate }) => {
      const expiry = endDate.replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
      return onVenueA.includes(`${groupItemTitle!.replaceAll(',', '')} ${expiry}`);
    });
    expect(both.length).toBeGreaterThanOrEqual(6);
  });

  it('lists every event and market once by keyset, and finds each by every id', async () => {
    const walk = async (collection: 'events' | 'markets') => {
      const rows: Record<string, unknown>[] = [];
      let after = '';
      do {
        const page = (await gamma(`/${collection}/keyset?limit=4${after}`)) as Record<string, never> & {
          next_cursor?: string;
        };
        rows.push(...(page[collection] as never as typeof rows));
        after = page.next_cursor ? `&after_cursor=${page.next_cursor}` : '';
      } while (after);
      return rows;
    };
    const [events, markets] = [await walk('events'), await walk('markets')];
    expect(new Set(markets.map(({ id }) => id)).size).toBe(markets.length);
    expect(events.flatMap((event) => event.markets as unknown[])).toHaveLength(markets.length);
    const { id, slug, conditionId, questionID, clobTokenIds } = markets[0] as Market;
    const [token] = JSON.parse(clobTokenIds!) as string[];
    const queries = [`id=${id}`, `slug=${slug}`, `condition_ids=${conditionId}`, `question_ids=${questionID}`];
    for (const query of [...queries, `clob_token_ids=${token}&closed=true`, `clob_token_ids=${token}&closed=false`]) {
      const found = (await gamma(`/markets?${query}`)) as Market[];
      const wrongState = query.includes('closed=') && String(markets[0]!.closed) !== query.split('closed=')[1];
      expect(
        found.map((market) => market.id),
        query,
      ).toEqual(wrongState ? [] : [id]);
    }
    const [one, other] = markets as Market[];
    const two = (await gamma(
      `/markets?condition_ids=${one!.conditionId}&condition_ids=${other!.conditionId}`,
    )) as Market[];
    expect(two).toHaveLength(2);
    expect(await gamma(`/markets/${id}`)).toMatchObject({ id });
    expect(await gamma(`/markets/slug/${slug}`)).toMatchObject({ id });
    expect(await gamma(`/events/${events[0]!.id}`)).toMatchObject({ id: events[0]!.id });
  });

  it('finds a closed market by its token only if closed ones are requested', async () => {
    const [closed] = (await gamma('/markets?closed=true&limit=1')) as Market[];
    const [token] = tokensOf(closed!);
    expect(await gamma(`/markets?clob_token_ids=${token}`)).toEqual([]);
    expect(await gamma(`/markets?clob_token_ids=${token}&closed=true`)).toHaveLength(1);
    expect(JSON.parse(closed!.outcomePrices!).toSorted()).toEqual(['0', '1']);
  });

  it('pages by offset, and rejects a limit that is not a number', async () => {
    const first = (await gamma('/markets?limit=2')) as Market[];
    const second = (await gamma('/markets?limit=2&offset=1')) as Market[];
    expect(second[0]).toMatchObject({ id: first[1]!.id });
    expect((await get(`${simulator.urls.venueBGammaUrl}/markets?limit=x`)).status).toBe(422);
    expect((await get(`${simulator.urls.venueBGammaUrl}/markets/999`)).status).toBe(404);
  });
});

describe('order-book host', () => {
  it('returns mirrored books with consistent figures', async () => {
    const [market] = await liveMarkets();
    const [yes, no] = tokensOf(market!);
    const books = (await post(`${simulator.urls.venueBClobUrl}/books`, [{ token_id: yes }, { token_id: no }])).body as {
      asset_id: string;
      market: string;
      bids: { price: string; size: string }[];
      asks: { price: string; size: string }[];
    }[];
    expect(books.map(({ asset_id }) => asset_id)).toEqual([yes, no]);
    const mirrored = books[1]!.asks.map(({ price, size }) => ({
      price: String(Number((1 - Number(price)).toFixed(3))),
      size,
    }));
    expect(mirrored).toEqual(books[0]!.bids);
    expect(await clob(`/book?token_id=${yes}`)).toMatchObject({
      market: market!.conditionId,
      min_order_size: '5',
      neg_risk: false,
    });
    for (const figure of ['price', 'midpoint', 'spread', 'last-trade-price']) {
      expect(Object.values(await clob(`/${figure}?token_id=${yes}&side=BUY`))[0]).toMatch(/^0\.\d+$/);
    }
    expect((await get(`${simulator.urls.venueBClobUrl}/book?token_id=1`)).status).toBe(404);
  });

  it('lists markets up to the end cursor, and returns one by its condition', async () => {
    const page = (await clob('/markets')) as { next_cursor: string; count: number; data: Record<string, unknown>[] };
    expect(page.next_cursor).toBe('LTE=');
    expect(page.data).toHaveLength(page.count);
    const [market] = await liveMarkets();
    const one = (await clob(`/markets/${market!.conditionId}`)) as { tokens: { token_id: string; outcome: string }[] };
    expect(one.tokens.map(({ token_id }) => token_id)).toEqual(tokensOf(market!));
    expect(one.tokens.map(({ outcome }) => outcome)).toEqual(['Yes', 'No']);
    const time = (await clob('/time')) as number;
    expect(Math.abs(time - wallClock() / 1000)).toBeLessThan(30);
  });
});

describe('market socket', () => {
  it('sends the books of subscribed tokens immediately, then changes, and answers PING', async () => {
    const [market] = await liveMarkets();
    const tokens = tokensOf(market!);
    const socket = await openSocket(simulator.urls.venueBClobWsUrl);
    socket.send({ type: 'market', assets_ids: tokens, initial_dump: true, custom_feature_enabled: true });
    socket.send('PING');
    await until('a change', () => socket.frames().some(({ event_type }) => event_type === 'price_change'));
    const first = JSON.parse(socket.texts[0]!) as { event_type: string; asset_id: string }[];
    expect(first.map(({ event_type, asset_id }) => [event_type, asset_id])).toEqual(
      tokens.map((token) => ['book', token]),
    );
    expect(socket.texts).toContain('PONG');
    for (const { market: of } of socket.frames().filter(({ event_type }) => event_type === 'price_change')) {
      expect(of).toBe(market!.conditionId);
    }
    socket.close();
  });

  it('adds and removes assets later', async () => {
    const markets = await liveMarkets();
    const socket = await openSocket(simulator.urls.venueBClobWsUrl);
    socket.send({ type: 'market', assets_ids: [] });
    socket.send({ operation: 'subscribe', assets_ids: tokensOf(markets[0]!) });
    await until('its frames', () => socket.frames().some(({ event_type }) => event_type === 'price_change'));
    socket.send({ operation: 'unsubscribe', assets_ids: tokensOf(markets[0]!) });
    await until(
      'no subscription',
      async () => (await simulator.stats()).sockets['venue_b.clob_ws'].subscriptions === 0,
    );
    socket.close();
  });
});

describe('chain', () => {
  const chain = defineChain({
    id: 137,
    name: 'Simulated',
    nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  const overHttp = () => createPublicClient({ chain, transport: http(simulator.urls.venueBRpcUrl, { retryCount: 0 }) });

  it('answers a standard client', async () => {
    const client = overHttp();
    expect(await client.getChainId()).toBe(137);
    const [latest, finalized] = [
      await client.getBlock({ blockTag: 'latest' }),
      await client.getBlock({ blockTag: 'finalized' }),
    ];
    expect(Number(latest.number - finalized.number)).toBeGreaterThanOrEqual(63);
    const parent = await client.getBlock({ blockHash: latest.parentHash });
    expect(parent.number).toBe(latest.number - 1n);
    const logs = await client.getLogs({ address: CTF_EXCHANGE, fromBlock: parent.number, toBlock: parent.number });
    expect(logs.length).toBeGreaterThan(0);
    // The other transactions split and merge.
    expect(parent.transactions).toEqual(expect.arrayContaining(logs.map(({ transactionHash }) => transactionHash)));
  });

  it('filters logs by address, topics and block hash', async () => {
    const rpc = async (filter: unknown) => {
      const { body } = await post(simulator.urls.venueBRpcUrl, {
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getLogs',
        params: [filter],
      });
      return (body as { result: { topics: string[]; blockHash: string }[] }).result;
    };
    const head = Number(await overHttp().getBlockNumber());
    const range = { fromBlock: `0x${(head - 20).toString(16)}`, toBlock: `0x${head.toString(16)}` };
    const all = await rpc(range);
    const matched = await rpc({ ...range, topics: [[TOPIC.ordersMatched]] });
    expect(matched.length).toBe(all.filter(({ topics }) => topics[0] === TOPIC.ordersMatched).length);
    expect(matched.length).toBeGreaterThan(0);
    const filled = all.filter(({ topics }) => topics[0] === TOPIC.orderFilled);
    const maker = filled[0]!.topics[2]!;
    const own = await rpc({ ...range, topics: [TOPIC.orderFilled, null, [maker]] });
    expect(own).toEqual(filled.filter(({ topics }) => topics[2] === maker));
    const against = await rpc({ ...range, topics: [TOPIC.orderFilled, null, null, [filled[0]!.topics[3]]] });
    expect(against).toEqual(filled.filter(({ topics }) => topics[3] === filled[0]!.topics[3]));
    expect([own.length, against.length]).not.toContain(0);
    expect(await rpc({ ...range, address: `0x${'1'.repeat(40)}` })).toEqual([]);
    const ofBlock = await rpc({ blockHash: all[0]!.blockHash });
    expect(ofBlock).toEqual(all.filter(({ blockHash }) => blockHash === all[0]!.blockHash));
  });

  it('answers batches, unknown methods, and too long ranges', async () => {
    const call = (id: number, method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id, method, params });
    const { body } = await post(simulator.urls.venueBRpcUrl, [
      call(1, 'eth_blockNumber'),
      call(2, 'eth_nothing'),
      call(3, 'eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x7d1' }]),
      call(4, 'eth_getLogs', [{ fromBlock: 'latest', toBlock: 'latest', topics: ['0x00'] }]),
      call(5, 'eth_call', [{ to: CTF_EXCHANGE, data: '0x' }, 'latest']),
    ]);
    const answers = body as { id: number; result?: unknown; error?: { message: string } }[];
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(answers[0]!.result).toMatch(/^0x[0-9a-f]+$/);
    expect(answers[1]!.error).toMatchObject({ code: -32601 });
    expect(answers[2]!.error?.message).toContain('block range');
    expect(answers[3]!.result).toEqual([]);
    expect(answers[4]!.result).toBe(`0x${'0'.repeat(64)}`);
  });

  it('sends heads and logs to subscribers', async () => {
    const client = createPublicClient({
      chain,
      transport: webSocket(simulator.urls.venueBRpcUrl.replace('http', 'ws')),
    });
    const heads: bigint[] = [];
    const logs: unknown[] = [];
    const stopHeads = client.watchBlocks({ onBlock: ({ number }) => void heads.push(number), emitMissed: false });
    const stopLogs = client.watchEvent({ address: CTF_EXCHANGE, onLogs: (received) => void logs.push(...received) });
    await until('two heads and some logs', () => heads.length >= 2 && logs.length > 0);
    expect(heads[1]).toBe(heads[0]! + 1n);
    stopHeads();
    stopLogs();
    const { subscriptionClient } = client.transport as never as { subscriptionClient?: { close(): void } };
    subscriptionClient?.close();
  });
});

it('returns well-formed empty answers for what is not simulated', async () => {
  const { venueBDataUrl, venueBPnlUrl, venueAStatsUrl } = simulator.urls;
  expect(await get(`${venueBDataUrl}/positions?user=0x1`)).toMatchObject({ status: 200, body: [] });
  expect(await get(`${venueBDataUrl}/value?user=0x1`)).toMatchObject({ body: [{ user: '0x1', value: 0 }] });
  expect(await get(`${venueBDataUrl}/v2/trades`)).toMatchObject({
    body: { data: [], pagination: { has_more: false } },
  });
  expect(await get(`${venueBPnlUrl}?user_address=0x1`)).toMatchObject({ status: 200, body: [] });
  expect(await get(`${venueAStatsUrl}/Mainnet/vaults`)).toMatchObject({ status: 200, body: [] });
  expect((await get(`${venueAStatsUrl}/Mainnet/builder_fills/0x1/20260101.csv.lz4`)).status).toBe(403);
});
