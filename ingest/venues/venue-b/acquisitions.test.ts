import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics } from '#infra/telemetry/metrics';
import type { AcquisitionResult } from '#schemas/requests/account-acquisition';
import { COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { Budget } from '../../feed/budget.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { type Answer, startHttpServer } from '../../testing/http-server.fixture.ts';
import { type AcquisitionsOptions, createAcquisitions } from './acquisitions.ts';
import { ChainRpcError } from './chain/chain-rpc.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const USER = `0x${'b'.repeat(40)}`;
const page = (from: number, rows: number) =>
  `[${Array.from({ length: rows }, (_, at) => `{"asset":"${from + at}","size":1.50,"curPrice":0.5}`).join(',')}]`;
const BALANCE = `0x${'1'.padStart(64, '0')}`;
const HEAD = { number: '0x10', hash: '0x1', parentHash: '0x0', timestamp: '0x1' };

async function setUp(answer: (offset: number) => Answer, rpc: Partial<AcquisitionsOptions['rpc']> = {}) {
  const server = await startHttpServer(({ path }) =>
    answer(Number(new URL(path, 'http://host').searchParams.get('offset'))),
  );
  closing.push(() => server.close());
  const metrics = createMetrics();
  const budget = new Budget({ max: 100, windowMs: 1_000 });
  const published: { source: string; request: string; payload: string }[] = [];
  const { handlers } = createAcquisitions({
    url: server.url,
    rpc: { header: async () => HEAD, call: async () => BALANCE, ...rpc },
    budget,
    metrics,
    http: new HttpClient({ budget, retries: 'reads', timeoutMs: 1_000 }),
    publisher: {
      whenReady: async () => {},
      receive: ({ source, request, payload }: { source: string; request?: string; payload: unknown }) =>
        void published.push({ source, request: request!, payload: String(payload) }),
    } as never,
  });
  const handler = handlers[0]!;
  const acquire = (state: { readonly fresh: boolean } | null = null) =>
    (state ? handlers[1]! : handler).run(
      { address: USER, ...state },
      { signal: new AbortController().signal, orgIds: new Set(['org']), requestedAt: Date.now() },
    ) as Promise<AcquisitionResult>;
  const outcomes = async () => (await metrics.accountAcquisitions.get()).values.map(({ labels }) => labels.outcome);
  return { acquire, handler, published, server, outcomes };
}

describe('an acquisition of venue_b', () => {
  it('is returned with its pages to whoever asks for them, and repeated for a fresh one', async () => {
    const { acquire, server, published } = await setUp((offset) => ({ body: page(offset, 1) }));
    const { publishedAt } = await acquire();
    const state = await acquire({ fresh: false });
    expect(state).toEqual({ publishedAt, native: [published[0]!.payload] });
    expect(server.requests).toHaveLength(1);
    await acquire({ fresh: true });
    expect(server.requests).toHaveLength(2);
  });

  it('publishes every page, and the balances of both tokens at one block', async () => {
    const { acquire, published } = await setUp((offset) => ({ body: page(offset, offset === 0 ? 500 : 1) }));
    const startedAt = Date.now();
    const { publishedAt, ...rest } = await acquire();
    expect(rest).toEqual({});
    const { oldestAt } = JSON.parse(published.at(-1)!.request!);
    const query = `user=${USER}&sizeThreshold=0&limit=500`;
    expect(published.map(({ source, request }) => [source, request])).toEqual([
      ['venue_b.data', `GET /positions?${query}&offset=0`],
      ['venue_b.data', `GET /positions?${query}&offset=500`],
      ...Object.values(COLLATERAL_TOKENS).map((to) => [
        'venue_b.call',
        JSON.stringify({ to, data: `0x70a08231${USER.slice(2).padStart(64, '0')}`, block: 16, oldestAt }),
      ]),
    ]);
    expect(oldestAt).toBeGreaterThanOrEqual(startedAt);
    expect(oldestAt).toBeLessThanOrEqual(publishedAt!);
    expect(published[1]!.payload).toBe(page(500, 1));
    expect(published[2]!.payload).toBe(JSON.stringify(BALANCE));
  });

  it.each([
    ['a repeated page', (offset: number) => ({ body: page(0, offset === 0 ? 500 : 3) }), 'upstream_malformed'],
    ['a missing figure', () => ({ body: '[{"asset":"1","size":1}]' }), 'upstream_malformed'],
    ['no list', () => ({ body: '{}' }), 'upstream_malformed'],
    ['an error', () => ({ status: 400, body: 'no' }), 'upstream_rejected'],
    ['more pages than the venue serves', (offset: number) => ({ body: page(offset, 500) }), 'upstream_malformed'],
  ])('publishes nothing for %s', async (_, answer: (offset: number) => Answer, code) => {
    const { acquire, published } = await setUp(answer);
    await expect(acquire()).rejects.toMatchObject({ code });
    expect(published).toEqual([]);
  });

  it.each([
    ['fails', { call: async () => Promise.reject(new ChainRpcError('no', false)) }, 'upstream_unavailable'],
    ['has no newest block', { header: async () => null }, 'upstream_unavailable'],
    ['returns no balance', { call: async () => '0x' }, 'upstream_malformed'],
  ])('publishes nothing if the node %s', async (_, rpc, code) => {
    const { acquire, published } = await setUp(() => ({ body: '[]' }), rpc);
    await expect(acquire()).rejects.toMatchObject({ code });
    expect(published).toEqual([]);
  });

  it('is counted if it waited too long for its turn', async () => {
    const { handler, outcomes } = await setUp(() => ({ body: '[]' }));
    handler.expiredBecause!({ address: USER }, 'org');
    expect(await outcomes()).toEqual(['no_room']);
  });
});
