import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pause } from '#infra/runtime/pause';
import { ACQUISITIONS } from '#schemas/requests/account-acquisition';
import { venueBPositions } from '#schemas/requests/positions';
import type { InfoRequest, InfoResult } from '#schemas/requests/venue-a-info';
import { userPnlRead } from '#schemas/requests/venue-b-user-pnl';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { openTestRole, type TestRole, testFolder } from '../testing/role-context.fixture.ts';
import { openRecordedReads, type RecordedReads } from './recorded-reads.ts';

const TOPIC = rawTopic('venue_a', 'info');
const FILLS_TOPIC = rawTopic('venue_a', 'node_fills');
const PNL_TOPIC = rawTopic('venue_b', 'pnl');
const DATA_TOPIC = rawTopic('venue_b', 'data');
const USER = `0x${'a'.repeat(40)}`;
const closing: (() => Promise<unknown>)[] = [];
let role: TestRole;
let reads: RecordedReads;
beforeEach(async () => {
  const { folder, remove } = await testFolder();
  closing.push(remove);
  role = await openTestRole(folder, {});
  closing.push(() => role.close());
  await role.context.log.createTopics([TOPIC, FILLS_TOPIC, PNL_TOPIC, DATA_TOPIC]);
  reads = await openRecordedReads(role.context);
  closing.push(() => reads.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let seq = 0;
async function record(request: object, response: unknown, receivedAt: number): Promise<void> {
  const { log, codec } = role.context;
  seq += 1;
  const value = codec.encode(TOPIC, {
    provider: 'venue_a',
    stream: 'info',
    key: 'venue_a.info',
    receivedAt,
    request: JSON.stringify(request),
    requestedAt: null,
    payload: Buffer.from(JSON.stringify(response)),
  } as RawEnvelope);
  await log.append([{ topic: TOPIC.name, partition: 0, key: 'venue_a.info', value, receivedAt, seq }]);
}
const read = (params: InfoRequest) =>
  reads.handlers[0]!.run(params, {
    signal: new AbortController().signal,
    requestedAt: Date.now(),
    orgIds: new Set(['org']),
  }) as Promise<InfoResult>;
/** Reads until the newest record is known. */
async function readSoon(params: InfoRequest): Promise<InfoResult> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await read(params);
    } catch (error) {
      if (attempt > 200) throw error;
      await pause(20, new AbortController().signal);
    }
  }
}

/** Reads until the answer has this source. */
async function readSoonUntil(params: InfoRequest, source: InfoResult['source']): Promise<InfoResult> {
  for (let attempt = 0; ; attempt += 1) {
    const result = await read(params);
    if (result.source === source || attempt > 200) return result;
    await pause(20, new AbortController().signal);
  }
}

it('answers with the newest response to the same request, whatever its spelling', async () => {
  await record({ type: 'userFills', user: USER }, [1], 1_000);
  await record({ user: USER.toUpperCase().replace('X', 'x'), type: 'userFills' }, [2], 2_000);
  await record({ type: 'meta' }, {}, 3_000);
  await readSoon({ type: 'meta' });
  expect(await read({ type: 'userFills', user: USER })).toEqual({ native: [2], fetchedAt: 2_000, source: 'official' });
});

it('fails if the recording has no such response', async () => {
  await record({ type: 'clearinghouseState', user: USER, dex: 'xyz' }, {}, 1_000);
  await readSoon({ type: 'clearinghouseState', user: USER, dex: 'xyz' });
  await expect(read({ type: 'clearinghouseState', user: USER })).rejects.toMatchObject({
    code: 'upstream_unavailable',
  });
});

it('finds meta and spotMeta in larger responses, the newest of all', async () => {
  const [main, xyz] = [{ universe: [{ name: 'BTC' }] }, { universe: [{ name: 'xyz:TSLA' }] }];
  await record({ type: 'meta' }, { universe: [] }, 1_000);
  await record({ type: 'metaAndAssetCtxs' }, [main, []], 2_000);
  await record(
    { type: 'allPerpMetas' },
    [
      [{ universe: [] }, []],
      [xyz, []],
    ],
    3_000,
  );
  await record({ type: 'spotMetaAndAssetCtxs' }, [{ tokens: [] }, []], 4_000);
  expect(await readSoon({ type: 'spotMeta' })).toMatchObject({ native: { tokens: [] }, fetchedAt: 4_000 });
  expect(await read({ type: 'meta' })).toMatchObject({ native: { universe: [] }, fetchedAt: 3_000 });
  expect(await read({ type: 'meta', dex: 'xyz' })).toMatchObject({ native: xyz, fetchedAt: 3_000 });
});

it('answers for fills that the venue has none besides those of a recorded node', async () => {
  const fills = { type: 'userFills', user: USER } as const;
  await expect(read(fills)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  const at = { topic: FILLS_TOPIC.name, partition: 0, key: 'venue_a.node_fills', seq: 1 };
  await role.context.log.append([{ ...at, value: Buffer.alloc(1), receivedAt: 1_000 }]);
  expect(await read(fills)).toEqual({ native: [], fetchedAt: 1_000, source: 'node' });
  await record(fills, [2], 2_000);
  expect(await readSoonUntil(fills, 'official')).toMatchObject({ native: [2], fetchedAt: 2_000 });
});

it('answers with the newest series of an account and window, whatever the distance of its points', async () => {
  const { log, codec } = role.context;
  const lines = [
    { request: `GET /user-pnl?user_address=${USER}&interval=1d&fidelity=1h`, text: '[{"t":1,"p":1}]' },
    { request: `GET /user-pnl?interval=1d&user_address=${USER.toUpperCase()}`, text: '[{"t":2,"p":1}]' },
    { request: `GET /user-pnl?user_address=${USER}&interval=1w&fidelity=3h`, text: '[]' },
  ].map(({ request, text }, at) => ({
    topic: PNL_TOPIC.name,
    partition: 0,
    key: 'venue_b.pnl',
    value: codec.encode(PNL_TOPIC, {
      provider: 'venue_b',
      stream: 'pnl',
      key: 'venue_b.pnl',
      receivedAt: 1_000 + at,
      request,
      requestedAt: null,
      payload: Buffer.from(text),
    }),
    receivedAt: 1_000 + at,
    seq: at + 1,
  }));
  await log.append(lines);
  const read = (window: string) =>
    reads.handlers
      .find(({ kind }) => kind === userPnlRead)!
      .run({ address: USER, window }, { signal: new AbortController().signal, requestedAt: 0, orgIds: new Set() });
  await vi.waitFor(async () => expect(await read('1W')).toEqual({ text: '[]', fetchedAt: 1_002 }), 10_000);
  expect(await read('1D')).toEqual({ text: '[{"t":2,"p":1}]', fetchedAt: 1_001 });
  await expect(read('ALL')).rejects.toMatchObject({ code: 'upstream_unavailable' });
});

it('answers with the newest pages of positions of an account, once all of them are recorded', async () => {
  const recordPage = async (offset: number, rows: number, receivedAt: number) => {
    const { log, codec } = role.context;
    const value = codec.encode(DATA_TOPIC, {
      provider: 'venue_b',
      stream: 'data',
      key: 'venue_b.data',
      receivedAt,
      request: `GET /positions?user=${USER}&sizeThreshold=0&limit=500&offset=${offset}`,
      requestedAt: null,
      payload: Buffer.from(JSON.stringify(Array(rows).fill(1))),
    });
    seq += 1;
    await log.append([{ topic: DATA_TOPIC.name, partition: 0, key: 'venue_b.data', value, receivedAt, seq }]);
  };
  const handler = reads.handlers.find(({ kind }) => kind.name === venueBPositions.name)!;
  const positions = () =>
    handler.run({ address: USER }, { signal: new AbortController().signal, requestedAt: 0, orgIds: new Set(['org']) });
  await recordPage(0, 500, 1_000);
  await expect(positions()).rejects.toMatchObject({ code: 'upstream_unavailable' });
  await recordPage(500, 2, 2_000);
  await vi.waitFor(async () => expect(await positions()).toMatchObject({ fetchedAt: 1_000 }), { timeout: 5_000 });
});

it('answers acquisitions with the newest value, whatever its age', async () => {
  for (const { name } of Object.values(ACQUISITIONS)) {
    const handler = reads.handlers.find(({ kind }) => kind.name === name)!;
    const context = { signal: new AbortController().signal, requestedAt: 0, orgIds: new Set(['org']) };
    expect(await handler.run({ address: USER }, context)).toEqual({ publishedAt: null });
  }
});
