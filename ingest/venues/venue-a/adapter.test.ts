import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadSettings } from '#infra/config/settings';
import { venueSpendingTopic } from '#schemas/topics/venue-spending';
import { SeriesAttempts } from '../../series/series-attempts.ts';
import { type Answer, startHttpServer } from '../../testing/http-server.fixture.ts';
import { MemoryLog } from '../../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger, until } from '../../testing/open-publisher.fixture.ts';
import { startSocketServer } from '../../testing/ws-server.fixture.ts';
import { venueA } from './adapter.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const json = (body: unknown): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** A venue that lists BTC, markets of other kinds, and outcomes 6 to 8. A settled outcome has a fraction. */
async function startVenue() {
  /** The fields of each perp in the list, with its daily volume. */
  const perps = new Map<string, { readonly dayNtlVlm: string; readonly isDelisted?: boolean }>([
    ['BTC', { dayNtlVlm: '9.0' }],
  ]);
  const contracts = new Map<string, readonly object[]>();
  const pairs = new Set<string>();
  const listed = new Set([6, 7, 8]);
  const fractions = new Map<number, string>();
  const rejected = new Set<number>();
  const info = await startHttpServer(({ path, body }) => {
    if (path.startsWith('/stats')) return { status: 404 };
    const { type, outcome } = JSON.parse(body);
    if (type === 'metaAndAssetCtxs')
      return json([
        { universe: [...perps].map(([name, { isDelisted }]) => ({ name, isDelisted })) },
        [...perps.values()].map(({ dayNtlVlm }) => ({ dayNtlVlm })),
      ]);
    if (type === 'allPerpMetas') return json([{}, ...[...contracts.values()].map((universe) => ({ universe }))]);
    if (type === 'spotMetaAndAssetCtxs') return json([{ universe: [...pairs].map((name) => ({ name })) }, []]);
    if (type === 'outcomeMeta') return json({ outcomes: [...listed].map((id) => ({ outcome: id })) });
    if (type !== 'settledOutcome') return json({});
    if (rejected.has(outcome)) return { status: 422 };
    const settleFraction = fractions.get(outcome);
    return json(settleFraction === undefined ? null : { spec: { outcome }, settleFraction });
  });
  const sockets = await startSocketServer();
  closing.push(
    () => info.close(),
    () => sockets.close(),
  );
  /** Triggers another round of the adapter. */
  const announceUpdate = () => {
    for (const socket of sockets.sockets) socket.send('{"channel":"outcomeMetaUpdates","data":[]}');
  };
  const rounds = () => info.requests.filter(({ body }) => body.includes('perpDexs')).length;
  return { perps, contracts, pairs, listed, fractions, rejected, info, sockets, announceUpdate, rounds };
}

/** What the adapter of a venue is started with. */
async function openContext(
  { info, sockets }: Awaited<ReturnType<typeof startVenue>>,
  log?: MemoryLog,
  variables: Record<string, string> = {},
) {
  const test = await openTestPublisher(log ? { log } : {});
  const settings = loadSettings([], {
    PARALLAX_VENUE_A_API_URL: info.url,
    PARALLAX_VENUE_A_WS_URL: sockets.url,
    PARALLAX_VENUE_A_STATS_URL: `${info.url}/stats`,
    ...variables,
  });
  const seriesAttempts = await SeriesAttempts.open(test.log, test.codec);
  return { test, context: { ...test, seriesAttempts, settings, logger: silentLogger, expect: () => () => {} } };
}

async function startAdapter(...options: Parameters<typeof openContext>) {
  const { test, context } = await openContext(...options);
  const running = await venueA.start(context);
  const close = async () => {
    await running.close();
    await test.publisher.close();
  };
  const requested = () =>
    test
      .raw('venue_a', 'info')
      .filter(({ request }) => request?.includes('settledOutcome'))
      .map(({ request, payload }) => `${JSON.parse(request!).outcome} ${payload}`);
  /** The coins that were published last as those whose trades are left out. */
  const leftOutCoins = () => test.feeds('venue_a').findLast(({ kind }) => kind === 'trades_left_out')?.coins;
  return { ...test, ...running, requested, leftOutCoins, close };
}

it('requests the settlement of an outcome that is no longer listed until the venue returns it', async () => {
  const venue = await startVenue();
  const adapter = await startAdapter(venue);
  closing.push(adapter.close);
  await until(() => venue.rounds() === 1 && venue.sockets.sockets.length > 0);
  venue.listed.delete(7);
  venue.rejected.add(8);
  venue.listed.delete(8);
  venue.announceUpdate();
  await until(() => adapter.requested().length === 1, 15_000);
  venue.fractions.set(7, '0.25');
  venue.rejected.clear();
  venue.fractions.set(8, '1.0');
  venue.announceUpdate();
  await until(() => adapter.requested().length === 3, 15_000);
  expect(adapter.requested()).toEqual([
    '7 null',
    '7 {"spec":{"outcome":7},"settleFraction":"0.25"}',
    '8 {"spec":{"outcome":8},"settleFraction":"1.0"}',
  ]);
});

it('requests outcomes that ended while the service was down, each once', async () => {
  const venue = await startVenue();
  const log = new MemoryLog();
  const first = await startAdapter(venue, log);
  await until(() => venue.rounds() === 1);
  await first.close();
  venue.listed.delete(7);
  venue.fractions.set(7, '0.0');
  const second = await startAdapter(venue, log);
  await until(() => second.requested().length === 1);
  await second.close();
  const third = await startAdapter(venue, log);
  closing.push(third.close);
  await until(() => venue.rounds() === 3);
  expect(third.requested()).toEqual(['7 {"spec":{"outcome":7},"settleFraction":"0.0"}']);
});

it('requests outcomes that were listed only while the service was down, immediately and each once', async () => {
  const venue = await startVenue();
  const log = new MemoryLog();
  const first = await startAdapter(venue, log);
  await until(() => venue.rounds() === 1);
  await first.close();
  for (const id of [9, 10]) venue.fractions.set(id, '1.0');
  venue.listed.add(11);
  const second = await startAdapter(venue, log);
  await until(() => second.requested().length === 2);
  await second.close();
  const third = await startAdapter(venue, log);
  closing.push(third.close);
  await until(() => venue.rounds() === 3);
  expect(third.requested()).toEqual([
    '9 {"spec":{"outcome":9},"settleFraction":"1.0"}',
    '10 {"spec":{"outcome":10},"settleFraction":"1.0"}',
  ]);
});

it('ignores a list without outcomes: it stays subscribed to the previous ones, and requests none', async () => {
  const venue = await startVenue();
  const log = new MemoryLog();
  const first = await startAdapter(venue, log);
  await until(() => venue.rounds() === 1);
  await first.close();
  venue.listed.clear();
  venue.sockets.received.length = 0;
  const second = await startAdapter(venue, log);
  closing.push(second.close);
  const subscribed = () => venue.sockets.received.flat();
  await until(() => venue.rounds() === 2 && subscribed().some((frame) => frame.includes('"#81"')));
  expect(second.requested()).toEqual([]);
});

it('follows trades of pairs and contracts as they are listed and delisted, of new dexes too, without a restart', async () => {
  const venue = await startVenue();
  venue.listed.clear();
  venue.pairs.add('@107');
  venue.contracts.set('one', [{ name: 'one:A' }]).set('empty', []);
  const adapter = await startAdapter(venue);
  closing.push(adapter.close);
  const changes = (method: string) =>
    venue.sockets.received
      .flat()
      .map((frame) => JSON.parse(frame))
      .filter((frame) => frame.method === method && frame.subscription.type === 'trades')
      .map(({ subscription }) => subscription.coin)
      .sort();
  await until(() => changes('subscribe').length === 3);
  expect(changes('subscribe')).toEqual(['@107', 'BTC', 'one:A']);
  venue.pairs.add('@200');
  venue.contracts.set('one', [{ name: 'one:A', isDelisted: true }, { name: 'one:B' }]).set('two', [{ name: 'two:A' }]);
  venue.announceUpdate();
  await until(() => changes('subscribe').length === 6 && changes('unsubscribe').length === 1, 15_000);
  expect(changes('subscribe')).toEqual(['@107', '@200', 'BTC', 'one:A', 'one:B', 'two:A']);
  expect(changes('unsubscribe')).toEqual(['one:A']);
  const { values } = await adapter.metrics.venueLeftOut.get();
  expect(values.map(({ labels, value }) => `${labels.kind} ${value}`)).toEqual(['trades 0', 'books 0']);
});

it('closes all that it has started if a later part cannot start', async () => {
  // The last part lacks its URL.
  const variables = { PARALLAX_BACKFILL_CANDLES_DAYS: '1' };
  const { test, context } = await openContext(await startVenue(), undefined, variables);
  closing.push(() => test.publisher.close());
  await expect(venueA.start(context)).rejects.toThrow('is not set');
  // The planner is closed last. It stores of each limit that nothing more is spent.
  const { log, codec } = test;
  const spending = log.of(venueSpendingTopic.name).map(({ value }) => codec.decode(venueSpendingTopic, value!));
  const newest = new Map(spending.map(({ limit, granted }) => [limit, granted]));
  const { weight, ...others } = Object.fromEntries(newest);
  expect(Object.values(others)).toEqual([0, 0, 0, 0]);
  // The first list was given up, and may yet reach the venue.
  expect([0, 20]).toContain(weight);
});

it('reads from a self-hosted node first, and publishes the fills that it writes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plx-node-'));
  const node = await startHttpServer(({ body }) =>
    json(JSON.parse(body).type === 'exchangeStatus' ? { time: Date.now() } : { of: 'node' }),
  );
  const hour = join(folder, 'node_fills/hourly/20990101');
  await mkdir(hour, { recursive: true });
  await writeFile(join(hour, '1'), '["0x1",{}]\n');
  const adapter = await startAdapter(await startVenue(), undefined, {
    PARALLAX_VENUE_A_NODE_URL: node.url,
    PARALLAX_VENUE_A_NODE_DATA: folder,
  });
  closing.push(
    () => rm(folder, { recursive: true }),
    () => node.close(),
    adapter.close,
  );
  await until(() => adapter.payloads('venue_a', 'node_fills').length === 1);
  const [reads] = adapter.handlers!;
  const context = { signal: new AbortController().signal, requestedAt: Date.now(), orgIds: new Set(['org']) };
  let result: unknown = null;
  // The first reads go to the venue while the clock of the node is not known.
  await until(() => {
    reads!.run({ type: 'meta' }, { ...context, requestedAt: Date.now() }).then(
      (read) => {
        result = read;
      },
      () => {},
    );
    return (result as { source?: string } | null)?.source === 'node';
  });
  expect(result).toMatchObject({ native: { of: 'node' }, source: 'node' });
  expect(node.requests.map(({ path }) => path)).toContain('/info');
});

it('subscribes to the markets with the largest volume up to the limit, and to others when a delisting makes room', async () => {
  const venue = await startVenue();
  venue.listed.clear();
  venue.perps.clear();
  const coin = (nth: number) => `C${nth}`;
  for (let nth = 0; nth < 1_010; nth += 1) venue.perps.set(coin(nth), { dayNtlVlm: `${2_000 - nth}.5` });
  const subscribed = new Set<string>();
  let largest = 0;
  venue.sockets.onFrame = (socket, frame) => {
    const { method, subscription } = JSON.parse(frame);
    if (method === 'subscribe') subscribed.add(JSON.stringify(subscription));
    if (method === 'unsubscribe') subscribed.delete(JSON.stringify(subscription));
    largest = Math.max(largest, subscribed.size);
    if (subscription) socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
  };
  const adapter = await startAdapter(venue, undefined, { PARALLAX_VENUE_A_BOOK_COINS: 'UNLISTED' });
  closing.push(adapter.close);
  const isSubscribed = (nth: number) => subscribed.has(JSON.stringify({ type: 'trades', coin: coin(nth) }));
  const leftOutNow = async () => {
    const missing = [...venue.perps.keys()].filter((_, nth) => !isSubscribed(nth));
    const metrics = await adapter.metrics.registry.metrics();
    const counted = /^parallax_venue_left_out\{venue="venue_a",kind="trades"\} (\d+)$/m.exec(metrics)?.[1];
    return { missing, counted };
  };

  // Four subscriptions are of feeds about all markets.
  await until(() => subscribed.size === 1_000, 15_000);
  const last14 = Array.from({ length: 14 }, (_, at) => coin(996 + at));
  expect(await leftOutNow()).toEqual({ missing: last14, counted: '14' });
  expect(adapter.leftOutCoins()).toEqual(last14.toSorted());

  venue.perps.set(coin(3), { dayNtlVlm: '0.0', isDelisted: true });
  venue.announceUpdate();
  await until(() => isSubscribed(996), 15_000);
  expect(await leftOutNow()).toEqual({ missing: [coin(3), ...last14.slice(1)], counted: '13' });
  expect(adapter.leftOutCoins()).toEqual(last14.slice(1).toSorted());
  expect(largest).toBe(1_000);
});
