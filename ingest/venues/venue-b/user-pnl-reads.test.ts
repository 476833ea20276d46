import { afterEach, expect, it } from 'vitest';
import { createMetrics } from '#infra/telemetry/metrics';
import type { UserPnlRequest, UserPnlResult } from '#schemas/requests/venue-b-user-pnl';
import { type Answer, startHttpServer } from '../../testing/http-server.fixture.ts';
import { createUserPnlReads } from './user-pnl-reads.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const ADDRESS = `0x${'a'.repeat(40)}`;

/** A venue that answers with these in turn, and the function that reads from it. */
async function setUp(...answers: Answer[]) {
  let turn = 0;
  const server = await startHttpServer(() => answers[Math.min(turn++, answers.length - 1)]!);
  closing.push(() => server.close());
  const published: object[] = [];
  const publisher = {
    whenReady: async () => {},
    receive: ({ payload, ...rest }: { payload: unknown }) => void published.push({ ...rest, payload: String(payload) }),
  };
  const url = `${server.url}/user-pnl`;
  const { handler, send } = createUserPnlReads({
    url,
    publisher: publisher as never,
    metrics: createMetrics(),
    timeoutMs: 200,
  });
  const read = (params: UserPnlRequest, agoMs = 0) =>
    handler.run(params, {
      signal: new AbortController().signal,
      orgIds: new Set(['org']),
      requestedAt: Date.now() - agoMs,
    }) as Promise<UserPnlResult>;
  return { server, read, send, published };
}

it.each([
  ['1D', 'interval=1d&fidelity=1h'],
  ['1W', 'interval=1w&fidelity=3h'],
  ['1M', 'interval=1m&fidelity=12h'],
  ['ALL', 'interval=all&fidelity=1d'],
] as const)('a read of the window %s returns the text of the response, and publishes it', async (window, query) => {
  const text = '[{"t":1700000000,"p":12.000000000000000001}]';
  const { server, read, published } = await setUp({ body: text });
  expect((await read({ address: ADDRESS, window })).text).toBe(text);
  const request = `GET /user-pnl?user_address=${ADDRESS}&${query}`;
  expect(published).toEqual([{ source: 'venue_b.pnl', feed: 'venue_b.pnl', request, payload: text }]);
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([request]);
});

it('a read is sent again after 5xx and timeouts', async () => {
  const { server, read } = await setUp({ status: 503 }, { hang: true }, { body: '[]' });
  expect((await read({ address: ADDRESS, window: '1D' })).text).toBe('[]');
  expect(server.requests).toHaveLength(3);
});

it('a refused read fails without a second request, and publishes nothing', async () => {
  const { server, read, published } = await setUp({ status: 400, body: 'no' });
  await expect(read({ address: ADDRESS, window: '1D' })).rejects.toMatchObject({ status: 400, body: 'no' });
  expect([server.requests.length, published]).toEqual([1, []]);
});

it('a read of a venue that hangs ends in time', async () => {
  const { read } = await setUp({ hang: true });
  await expect(read({ address: ADDRESS, window: '1D' }, 24_950)).rejects.toMatchObject({
    code: 'upstream_unavailable',
  });
});

it('a series that nobody waits for is published too', async () => {
  const { send, published } = await setUp({ body: '[]' });
  await send({ address: ADDRESS, window: '1D' }, new AbortController().signal);
  expect(published).toMatchObject([{ source: 'venue_b.pnl', payload: '[]' }]);
});
