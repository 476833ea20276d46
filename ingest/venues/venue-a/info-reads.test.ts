import { afterEach, expect, it } from 'vitest';
import { createMetrics } from '#infra/telemetry/metrics';
import type { InfoRequest, InfoResult } from '#schemas/requests/venue-a-info';
import { Budget } from '../../feed/budget.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { type Answer, startHttpServer } from '../../testing/http-server.fixture.ts';
import { until } from '../../testing/open-publisher.fixture.ts';
import { REST_PRIORITIES } from './declaration.ts';
import { InfoClient } from './info-client.ts';
import { createInfoReads } from './info-reads.ts';
import type { NodeInfo } from './node-info.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const USER = `0x${'a'.repeat(40)}`;

/** A venue that answers with these in turn, and the handler that reads from it. */
async function setUp(
  answers: Answer[],
  { weight = 1_000, spare = 0, timeoutMs = 1_000, node = null as Pick<NodeInfo, 'read'> | null } = {},
) {
  let turn = 0;
  const server = await startHttpServer(() => answers[Math.min(turn++, answers.length - 1)]!);
  closing.push(() => server.close());
  const reserved = { priority: REST_PRIORITIES.reads, cost: weight / 2, spare };
  const budget = new Budget({ max: weight, windowMs: 60_000, reserved });
  const metrics = createMetrics();
  const counter = { source: 'venue_a.info', metrics };
  const published: { request: string; payload: string }[] = [];
  const handler = createInfoReads({
    client: new InfoClient({
      url: server.url,
      http: new HttpClient({ budget, counter, retries: 'reads', timeoutMs }),
      node,
    }),
    budget,
    publisher: {
      whenReady: async () => {},
      receive: ({ request, payload }: { request?: string; payload: unknown }) =>
        void published.push({ request: request!, payload: String(payload) }),
    } as never,
    feed: 'venue_a.info',
  });
  const read = (params: InfoRequest, { agoMs = 0, signal = new AbortController().signal, orgId = 'org' } = {}) =>
    handler.run(params, { signal, orgIds: new Set([orgId]), requestedAt: Date.now() - agoMs }) as Promise<InfoResult>;
  const outcomes = async () =>
    Object.fromEntries(
      (await metrics.upstreamRequests.get()).values.map(({ labels, value }) => [labels.outcome, value]),
    );
  return { server, handler, budget, read, published, outcomes };
}

it('returns the response and publishes its bytes with the request', async () => {
  const { server, read, published } = await setUp([{ body: '{"time": 1, "x":"1.50"}' }]);
  const got = await read({ type: 'l2Book', coin: 'BTC' });
  expect(got).toMatchObject({ native: { time: 1, x: '1.50' }, source: 'official' });
  expect(Math.abs(Date.now() - got.fetchedAt)).toBeLessThan(10_000);
  const request = '{"type":"l2Book","coin":"BTC"}';
  expect(published).toEqual([{ request, payload: '{"time": 1, "x":"1.50"}' }]);
  expect(server.requests.map(({ body }) => body)).toEqual([request]);
});

it.each([
  'clearinghouseState',
  'spotClearinghouseState',
  'frontendOpenOrders',
  'historicalOrders',
  'userFills',
] as const)('returns a response to %s, and publishes nothing about an account', async (type) => {
  const { read, published } = await setUp([{ body: '[{"x":"1.50"}]' }]);
  expect(await read({ type, user: USER })).toMatchObject({ native: [{ x: '1.50' }], source: 'official' });
  expect(published).toEqual([]);
});

it('publishes the series of an account, since somebody bound it', async () => {
  const { read, published } = await setUp([{ body: '[["day",{}]]' }]);
  await read({ type: 'portfolio', user: USER });
  expect(published).toEqual([{ request: `{"type":"portfolio","user":"${USER}"}`, payload: '[["day",{}]]' }]);
});

it('returns and publishes the response of the node if it has one, without a request to the venue', async () => {
  const asked: string[] = [];
  const node = {
    async read(body: string) {
      asked.push(body);
      return body.includes('spotMeta') ? null : Buffer.from('{"of":"node"}');
    },
  };
  const { server, budget, read, published } = await setUp([{ body: '{"of":"venue"}' }], { node });
  expect(await read({ type: 'meta' })).toMatchObject({ native: { of: 'node' }, source: 'node' });
  expect([server.requests.length, budget.used]).toEqual([0, 0]);
  expect(await read({ type: 'spotMeta' })).toMatchObject({ native: { of: 'venue' }, source: 'official' });
  expect(published.map(({ payload }) => payload)).toEqual(['{"of":"node"}', '{"of":"venue"}']);
  expect(asked).toEqual(['{"type":"meta"}', '{"type":"spotMeta"}']);
});

it('counts the weight of the rows that were returned, and reserves the largest before', async () => {
  const rows = JSON.stringify(Array.from({ length: 41 }, () => ({})));
  const { budget, read } = await setUp([{ body: rows }], { weight: 120 });
  await read({ type: 'userFills', user: USER });
  expect(budget.used).toBe(23);
  await expect(read({ type: 'userFills', user: USER }, { agoMs: 9_900 })).rejects.toMatchObject({
    code: 'upstream_rate_limited',
    status: null,
    body: null,
    retryAfterMs: expect.any(Number),
  });
  await read({ type: 'l2Book', coin: 'BTC' });
  expect(budget.used).toBe(25);
});

it('is sent again after 5xx and timeouts, up to five times, each within the limits', async () => {
  const { server, read, budget, outcomes } = await setUp([{ status: 503 }, { hang: true }, { body: '{}' }], {
    timeoutMs: 200,
  });
  await read({ type: 'meta' });
  expect(server.requests).toHaveLength(3);
  expect(budget.used).toBe(60);
  expect(await outcomes()).toEqual({ upstream_unavailable: 2, success: 1 });
});

it('fails after five attempts with status and start of the body', async () => {
  const { server, read, published } = await setUp([{ status: 502, body: 'x'.repeat(5_000) }]);
  const error = await read({ type: 'meta' }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'upstream_unavailable', status: 502, body: 'x'.repeat(2_048) });
  expect([server.requests.length, published]).toEqual([5, []]);
});

it('is never sent again after a 4xx, and a 429 blocks the source for as long as it demands', async () => {
  const { server, read, budget } = await setUp([
    { status: 422, body: 'no' },
    { status: 429, headers: { 'retry-after': '7' }, body: '{"a":1}' },
    { body: '{}' },
  ]);
  await expect(read({ type: 'meta' })).rejects.toMatchObject({ code: 'upstream_rejected', status: 422, body: 'no' });
  await expect(read({ type: 'meta' })).rejects.toMatchObject({
    code: 'upstream_rate_limited',
    status: 429,
    retryAfterMs: 7_000,
  });
  expect(server.requests).toHaveLength(2);
  expect(budget.untilRoomMs(1)).toBeGreaterThan(6_000);
  await expect(read({ type: 'meta' }, { agoMs: 9_900 })).rejects.toMatchObject({ status: null });
  expect(server.requests).toHaveLength(2);
});

it('fails for lack of room, also if that is lacking for another attempt', async () => {
  const { server, read } = await setUp([{ hang: true }], { weight: 30, timeoutMs: 100 });
  await expect(read({ type: 'meta' }, { agoMs: 9_800 })).rejects.toMatchObject({ code: 'upstream_rate_limited' });
  expect(server.requests).toHaveLength(1);
});

it('that waited too long for its turn lacked weight, or waited for a venue that did not answer', async () => {
  const { handler, budget } = await setUp([], { weight: 40 });
  const because = () => handler.expiredBecause!({ type: 'meta' }, 'org');
  // Requests to the venue are unanswered, but there is weight for another one.
  const unanswered = await budget.reserve(20, { priority: REST_PRIORITIES.reads });
  expect(because()).toMatchObject({ code: 'upstream_unavailable', status: null });
  unanswered.settle(21);
  expect(because()).toMatchObject({ code: 'upstream_rate_limited', status: null, retryAfterMs: expect.any(Number) });
});

it('that waited too long for its turn lacked weight, also if there is some again', async () => {
  const { handler, budget } = await setUp([], { weight: 40 });
  budget.blockFor(20);
  (await budget.reserve(1, { priority: REST_PRIORITIES.reads })).settle();
  expect(budget.hasRoom(30, { priority: REST_PRIORITIES.reads })).toBe(true);
  const error = handler.expiredBecause!({ type: 'meta' }, 'org');
  expect(error).toMatchObject({ code: 'upstream_rate_limited', status: null, retryAfterMs: expect.any(Number) });
});

it('waits no longer for weight as its organization when another one joins that has read little', async () => {
  const { server, handler, budget } = await setUp([{ body: '{}' }], { weight: 100, spare: 20 });
  const spent = await budget.reserve(70, { priority: REST_PRIORITIES.reads, payers: new Set(['rushing']) });
  spent.settle();
  const orgIds = new Set(['rushing']);
  const context = { signal: new AbortController().signal, requestedAt: Date.now(), orgIds };
  const reading = handler.run({ type: 'meta' }, context);
  // There is room for a small cost until the read waits.
  await until(() => !budget.hasRoom(1, { priority: REST_PRIORITIES.reads, payers: new Set(['rushing']) }));
  orgIds.add('single');
  handler.onJoin!();
  expect(await reading).toMatchObject({ native: {} });
  expect(server.requests).toHaveLength(1);
});

it('waits no longer for weight as its organization when it shares bars that a rushing one requested', async () => {
  const { server, budget, handler } = await setUp([{ body: '[]' }], { weight: 100, spare: 30 });
  const spent = await budget.reserve(70, { priority: REST_PRIORITIES.reads, payers: new Set(['rushing']) });
  spent.settle();
  const read = (orgId: string, startTime: number) =>
    handler.run(
      { type: 'candleSnapshot', req: { coin: 'BTC', interval: '1m', startTime, endTime: 599_999 } },
      { signal: new AbortController().signal, requestedAt: Date.now(), orgIds: new Set([orgId]) },
    );
  const reads = [read('rushing', 0)];
  await until(() => !budget.hasRoom(1, { priority: REST_PRIORITIES.reads, payers: new Set(['rushing']) }));
  reads.push(read('single', 120_000));
  expect(await Promise.all(reads)).toMatchObject([{ native: [] }, { native: [] }]);
  expect(server.requests).toHaveLength(1);
});

it('fails if the response is not JSON, and publishes nothing', async () => {
  const { read, published } = await setUp([{ body: '<html>' }]);
  await expect(read({ type: 'meta' })).rejects.toMatchObject({
    code: 'upstream_malformed',
    status: 200,
    body: '<html>',
  });
  expect(published).toEqual([]);
});

it('ends after 25 s in total, and at once when ingest closes', async () => {
  const { read } = await setUp([{ hang: true }]);
  await expect(read({ type: 'meta' }, { agoMs: 24_950 })).rejects.toMatchObject({ code: 'upstream_unavailable' });
  const closed = new AbortController();
  const reading = read({ type: 'meta' }, { signal: closed.signal });
  closed.abort(new Error('closing'));
  await expect(reading).rejects.toThrow('closing');
});

it('comes before everything but listings', () => {
  const { listings, reads, ...others } = REST_PRIORITIES;
  expect(listings).toBeLessThan(reads);
  expect(Math.min(...Object.values(others))).toBeGreaterThan(reads);
});

it('leaves weight for an organization that has read little while another one uses up all it can', async () => {
  const { server, read } = await setUp([{ body: '{}' }], { weight: 100, spare: 20 });
  const readMeta = (orgId: string, dex: string) => read({ type: 'meta', dex }, { orgId, agoMs: 9_900 });
  for (const dex of ['a', 'b', 'c', 'd']) await readMeta('rushing', dex);
  await expect(readMeta('rushing', 'e')).rejects.toMatchObject({ code: 'upstream_rate_limited' });
  await readMeta('single', 'f');
  await expect(readMeta('another', 'g')).rejects.toMatchObject({ code: 'upstream_rate_limited' });
  expect(server.requests).toHaveLength(5);
});
