import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics } from '#infra/telemetry/metrics';
import { type Answer, startHttpServer } from '../../testing/http-server.fixture.ts';
import { silentLogger, until } from '../../testing/open-publisher.fixture.ts';
import { NodeInfo } from './node-info.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const META = '{"type":"meta"}';

/** A node whose clock is `lagMs` behind, and which answers everything else with `answer`. */
async function startNode({ lagMs = 0, answer = { body: '{}' } as Answer } = {}) {
  const node = { lagMs, answer, polls: 0, reads: [] as string[], status: null as Answer | null };
  const server = await startHttpServer(({ body }) => {
    if (JSON.parse(body).type === 'exchangeStatus') {
      node.polls += 1;
      return node.status ?? { body: JSON.stringify({ time: Date.now() - node.lagMs, specialStatuses: null }) };
    }
    node.reads.push(body);
    return node.answer;
  });
  const metrics = createMetrics();
  const info = new NodeInfo({ url: server.url, logger: silentLogger, metrics, timeoutMs: 300, pollMs: 10 });
  closing.push(
    () => server.close(),
    () => info.close(),
  );
  /** Resolves when the answer to a poll that began after this call has been handled. */
  const polled = async () => {
    const from = node.polls;
    await until(() => node.polls >= from + 3);
  };
  await polled();
  return Object.assign(node, { info, polled, server });
}

describe('NodeInfo', () => {
  it('returns the bytes of a response, by one request', async () => {
    const { info, reads } = await startNode({ answer: { body: '{ "a": 1.0 }' } });
    expect(String(await info.read(META))).toBe('{ "a": 1.0 }');
    expect(reads).toEqual([META]);
  });

  it.each(['userFills', 'historicalOrders', 'l2Book', 'candleSnapshot', 'metaAndAssetCtxs', 'settledOutcome'])(
    'does not send %s, which a node does not support',
    async (type) => {
      const { info, reads } = await startNode();
      expect(await info.read(JSON.stringify({ type }))).toBeNull();
      expect(reads).toEqual([]);
    },
  );

  it('is not asked while its clock is more than 10 s behind, and is asked again when it is not', async () => {
    const node = await startNode({ lagMs: 9_000 });
    expect(await node.info.read(META)).not.toBeNull();
    node.lagMs = 10_500;
    await node.polled();
    expect(await node.info.read(META)).toBeNull();
    expect(node.reads).toHaveLength(1);
    node.lagMs = 0;
    await node.polled();
    expect(await node.info.read(META)).not.toBeNull();
  });

  it('is not asked before its clock is known, nor when the clock was last known too long ago', async () => {
    const { info, polled, reads, ...node } = await startNode({ lagMs: 10_500 });
    expect([await info.read(META), node.polls > 0, reads]).toEqual([null, true, []]);
    const silent = await startNode();
    silent.status = { status: 500 };
    await silent.polled();
    // The clock of some milliseconds ago still counts.
    expect(await silent.info.read(META)).not.toBeNull();
  });

  it.each([
    ['422', { status: 422, body: 'Failed to deserialize' }],
    ['an error', { status: 500 }],
    ['no JSON', { body: '<html>' }],
    ['nothing in time', { hang: true }],
    ['a time more than 10 s ago', { body: JSON.stringify({ time: Date.now() - 60_000 }) }],
  ])('returns null for %s, after one attempt', async (_, answer) => {
    const { info, reads } = await startNode({ answer });
    expect(await info.read(META)).toBeNull();
    expect(reads).toHaveLength(1);
  });

  it('returns null without a request while the node demands a pause', async () => {
    const { info, reads } = await startNode({ answer: { status: 429, headers: { 'retry-after': '30' } } });
    expect([await info.read(META), await info.read(META)]).toEqual([null, null]);
    expect(reads).toHaveLength(1);
  });

  it('rejects with the reason of the signal', async () => {
    const { info } = await startNode({ answer: { hang: true } });
    const abort = new AbortController();
    const read = info.read(META, abort.signal);
    abort.abort(new Error('closing'));
    await expect(read).rejects.toThrow('closing');
  });
});
