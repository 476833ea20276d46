import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Running } from '#infra/runtime/context';
import type { Venue } from '#schemas/domain/providers';
import { changeTopic, commandTopic } from '#schemas/topics/control';
import type { StreamOf } from '#schemas/venues/streams';
import { start } from './start.ts';
import { type Answer, startHttpServer } from './testing/http-server.fixture.ts';
import { until } from './testing/open-publisher.fixture.ts';
import { openTestRole, type TestRole, testFolder } from './testing/role-context.fixture.ts';
import { TestChain } from './testing/test-chain.fixture.ts';
import { startSocketServer } from './testing/ws-server.fixture.ts';
import { ADAPTERS } from './venues/index.ts';

const closing: (() => Promise<unknown>)[] = [];
let folder = '';
beforeEach(async () => {
  const created = await testFolder();
  folder = created.folder;
  closing.push(created.remove);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const json = (body: unknown): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Both venues on loopback: two perps (one delisted), one outcome market, one open market, ten blocks. */
async function startVenues() {
  const outcomes = [{ outcome: 7 }];
  const perpAnswer = [
    { universe: [{ name: 'BTC' }, { name: 'OLD', isDelisted: true }, { name: 'kDOG' }] },
    [{ dayNtlVlm: '9.0' }, { dayNtlVlm: '0.0' }, { dayNtlVlm: '5.0' }],
  ];
  const info = await startHttpServer(({ path, body }) => {
    if (path !== '/info') return { status: 404 };
    const { type } = JSON.parse(body);
    if (type === 'metaAndAssetCtxs') return json(perpAnswer);
    return json(type === 'outcomeMeta' ? { outcomes, questions: [] } : { answerTo: type });
  });
  const gamma = await startHttpServer(({ path }) => {
    const listed = (conditionId: string, tokens: string[]) => ({ conditionId, clobTokenIds: JSON.stringify(tokens) });
    if (!path.startsWith('/markets/keyset?limit=100&closed=false')) return { status: 404 };
    return path.endsWith('&after_cursor=two')
      ? json({ markets: [listed('0xc2', ['21', '22'])] })
      : json({ markets: [listed('0xc1', ['11', '12'])], next_cursor: 'two' });
  });
  const [venueA, venueB] = [await startSocketServer(), await startSocketServer()];
  venueA.onFrame = (socket, frame) => {
    const { method, subscription } = JSON.parse(frame);
    if (method === 'subscribe' && subscription.type === 'trades')
      socket.send(`{"channel":"trades","data":[{"coin":"${subscription.coin}"}]}`);
  };
  venueB.onFrame = (socket, frame) => {
    if (frame === 'PING') socket.send('PONG');
    else for (const id of JSON.parse(frame).assets_ids) socket.send(`{"event_type":"book","asset_id":"${id}"}`);
  };
  const chain = new TestChain();
  chain.grow(1, 10, 'a');
  const rpcUrl = await chain.listen();
  for (const server of [info, gamma, venueA, venueB, chain.server]) closing.push(() => server.close());
  return {
    outcomes,
    venueA,
    venueB,
    chain,
    info,
    environment: {
      PARALLAX_VENUE_A_API_URL: info.url,
      PARALLAX_VENUE_A_WS_URL: venueA.url,
      PARALLAX_VENUE_A_STATS_URL: info.url,
      PARALLAX_VENUE_B_GAMMA_URL: gamma.url,
      PARALLAX_VENUE_B_CLOB_WS_URL: venueB.url,
      PARALLAX_VENUE_B_RPC_URL: rpcUrl,
      PARALLAX_VENUE_B_DATA_URL: info.url,
      PARALLAX_VENUE_B_PNL_URL: info.url,
    },
  };
}

async function startRole(environment: Record<string, string>): Promise<{ role: TestRole; running: Running }> {
  const role = await openTestRole(folder, environment);
  closing.push(() => role.close());
  const running = await start(role.context);
  closing.push(() => running.close());
  return { role, running };
}

const ready = (role: TestRole) => until(() => role.context.health.report().status === 'ok');
const texts = async <V extends Venue>(role: TestRole, venue: V, stream: StreamOf<V>) =>
  (await role.raw(venue, stream)).map(({ payload }) => payload.toString());

describe('ingest of live venues', () => {
  it('is ready once metadata, sockets, catalog and chain head have arrived, and has published all of it', async () => {
    const { environment, venueA, venueB } = await startVenues();
    const { role, running } = await startRole(environment);
    await ready(role);
    await until(() => venueA.received.flat().length === 12 && venueB.received.flat().length >= 1);
    expect(
      new Set(venueA.received.flat().map((frame) => Object.values(JSON.parse(frame).subscription).join(' '))),
    ).toEqual(
      new Set([
        'allMids',
        'allDexsAssetCtxs',
        'spotAssetCtxs',
        'outcomeMetaUpdates',
        ...['BTC', 'kDOG', '#70', '#71'].flatMap((coin) => [`trades ${coin}`, `l2Book ${coin}`]),
      ]),
    );
    await running.close();
    const questions = (await role.raw('venue_a', 'info')).map(({ request }) => JSON.parse(request!).type);
    expect(questions).toEqual(['metaAndAssetCtxs', 'allPerpMetas', 'spotMetaAndAssetCtxs', 'outcomeMeta', 'perpDexs']);
    expect((await texts(role, 'venue_a', 'ws')).sort()).toEqual(
      ['#70', '#71', 'BTC', 'kDOG'].map((coin) => `{"channel":"trades","data":[{"coin":"${coin}"}]}`),
    );
    expect((await texts(role, 'venue_b', 'clob_ws')).sort()).toEqual(
      ['11', '12', '21', '22'].map((id) => `{"event_type":"book","asset_id":"${id}"}`),
    );
    expect((await role.raw('venue_b', 'gamma')).map(({ request }) => request)).toEqual([
      'GET /markets/keyset?limit=100&closed=false',
      'GET /markets/keyset?limit=100&closed=false&after_cursor=two',
    ]);
    expect((await texts(role, 'venue_b', 'rpc')).map((text) => Object.keys(JSON.parse(text))[0])).toEqual([
      'block',
      'log',
      'complete',
    ]);
    expect(await role.feedKinds('venue_b', 'venue_b.rpc')).toEqual(['connected', 'disconnected']);
    // An earlier process may have been killed.
    expect(await role.feedKinds('venue_a', 'venue_a.ws.0')).toEqual(['disconnected', 'connected', 'disconnected']);
  });

  it('subscribes to the coins of a new outcome market, and unsubscribes from those of a settled one', async () => {
    const { environment, venueA, outcomes, info } = await startVenues();
    const { role } = await startRole(environment);
    await ready(role);
    await until(() => venueA.received.flat().length === 12);
    outcomes.splice(0, 1, { outcome: 8 });
    for (const socket of venueA.sockets) socket.send('{"channel":"outcomeMetaUpdates","data":[]}');
    const frames = (method: string) =>
      venueA.received
        .flat()
        .map((frame) => JSON.parse(frame))
        .filter((frame) => frame.method === method && /^#/.test(frame.subscription?.coin))
        .map(({ subscription }) => `${subscription.type} ${subscription.coin}`)
        .sort();
    await until(() => frames('unsubscribe').length === 4, 15_000);
    expect(frames('unsubscribe')).toEqual(['l2Book #70', 'l2Book #71', 'trades #70', 'trades #71']);
    await until(() => frames('subscribe').length === 8);
    expect(frames('subscribe')).toContain('l2Book #81');
    expect(info.requests.filter(({ body }) => body.includes('outcomeMeta')).length).toBe(2);
  });

  it('starts while a venue is unreachable, and is ready once it is reachable', async () => {
    const { environment, chain } = await startVenues();
    chain.status = 503;
    const { role } = await startRole(environment);
    await until(() => chain.server.requests.length > 0);
    expect(role.context.health.report().status).toBe('starting');
    chain.status = null;
    await ready(role);
  });

  it('is not ready before every adapter has started, even if the others have all their data', async () => {
    const { environment } = await startVenues();
    const role = await openTestRole(folder, environment);
    closing.push(() => role.close());
    const missing = new Set<string>();
    const [startA, startB] = [ADAPTERS.venue_a.start, ADAPTERS.venue_b.start];
    // A topic has one writer.
    const writers = new Set<unknown>();
    const spies = [
      vi.spyOn(ADAPTERS.venue_a, 'start').mockImplementation((context) => {
        writers.add(context.seriesAttempts);
        return startA({
          ...context,
          expect: (part) => {
            missing.add(part);
            const onData = context.expect(part);
            return () => {
              onData();
              missing.delete(part);
            };
          },
        });
      }),
      vi.spyOn(ADAPTERS.venue_b, 'start').mockImplementation(async (context) => {
        await until(() => missing.size === 0);
        expect(role.context.health.report().parts.ingest).toBe('starting');
        writers.add(context.seriesAttempts);
        return startB(context);
      }),
    ];
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore();
    });
    const running = await start(role.context);
    closing.push(() => running.close());
    await ready(role);
    expect(writers.size).toBe(1);
  });

  it('continues its sequence numbers and its last block after a restart', async () => {
    const { environment, chain } = await startVenues();
    const first = await startRole(environment);
    await ready(first.role);
    await first.running.close();
    await first.role.close();
    chain.grow(11, 1, 'a');
    const second = await startRole(environment);
    await ready(second.role);
    await second.running.close();
    const blocks = (await texts(second.role, 'venue_b', 'rpc')).filter((text) => text.startsWith('{"block"'));
    expect(blocks.map((text) => Number(JSON.parse(text).block.number))).toEqual([10, 11]);
  });

  it('names the variable of a missing URL', async () => {
    const role = await openTestRole(folder, { PARALLAX_VENUE_A_API_URL: 'http://127.0.0.1:1' });
    closing.push(() => role.close());
    await expect(start(role.context)).rejects.toMatchObject({
      code: 'url_missing',
      message: expect.stringContaining('PARALLAX_VENUE_A_WS_URL'),
    });
  });
});

describe('ingest of a recording', () => {
  const line = (at: number) => `{"at":${at},"source":"venue_a.ws","data":{"n":${at}}}`;
  async function recording(lines: string[]): Promise<Record<string, string>> {
    const path = join(folder, 'recording');
    await mkdir(path);
    await writeFile(join(path, 'x.ndjson'), lines.join('\n'));
    return { PARALLAX_VENUES: `recording:${path}` };
  }

  it('plays it to its end, reports that in /health, and writes no clock marks of its own', async () => {
    const { role, running } = await startRole(await recording([line(1_000), line(2_000)]));
    expect(role.context.health.report().extras.playback).toBe('running');
    await until(() => role.context.health.report().extras.playback === 'ended');
    expect(role.context.health.report().status).toBe('ok');
    await running.close();
    expect(await texts(role, 'venue_a', 'ws')).toEqual(['{"n":1000}', '{"n":2000}']);
    expect(await role.feedKinds('venue_a', 'venue_a.ws')).toEqual(['recorded', 'ended']);
  });

  it('stamps commands with its event time, also after its end', async () => {
    const { role } = await startRole(await recording([line(1_000), line(2_000)]));
    const { log, codec, health } = role.context;
    await until(() => health.report().extras.playback === 'ended');
    const command = { id: 'a', receivedAt: 0, wallTime: 7, type: 'key.paint', body: '{}' };
    const value = codec.encode(commandTopic, command);
    await log.append([{ topic: commandTopic.name, partition: 0, key: 'a', value, receivedAt: 0, seq: 0 }]);
    let changes = await role.records(changeTopic as never);
    for (const deadline = Date.now() + 5_000; changes.length === 0 && Date.now() < deadline; await sleep(5))
      changes = await role.records(changeTopic as never);
    expect(changes.map(({ key, receivedAt, seq }) => [key, receivedAt, seq])).toEqual([['a', 2_002, 1]]);
  });

  it('fails with a message that names the file and the line that it cannot read', async () => {
    const { role } = await startRole(await recording([line(1_000), 'nonsense']));
    expect(await role.context.health.failure).toMatchObject({
      part: 'ingest',
      cause: { code: 'recording_unreadable_line' },
      message: expect.stringContaining('x.ndjson line 2'),
    });
    expect(role.context.health.report()).toMatchObject({ status: 'degraded', extras: { playback: 'failed' } });
  });

  it('closes while it waits during a silence', async () => {
    const environment = await recording([line(1_000), line(9_000_000)]);
    const { role, running } = await startRole({ ...environment, PARALLAX_SPEED: '1' });
    await until(() => role.context.health.report().status === 'ok');
    await running.close();
    expect(await texts(role, 'venue_a', 'ws')).toEqual(['{"n":1000}']);
  });
});
