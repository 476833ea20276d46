/** Tests reads of a venue that three nodes of the query API request from ingest over real Kafka. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servicesMissing } from '../../../testing/services.ts';
import { type Backends, startBackends } from './cluster.ts';
import { eventually, type Service, startService, TEST_TOKEN } from './service.ts';

const MISSING = servicesMissing();
const SIMULATOR_FLAGS = ['--venues', 'sim', '--sim-rate', '20', '--sim-events', '3', '--sim-coins', '4'];
const READS = 100;
/** Longer than any read may take. */
const READ_TIMEOUT_MS = 60_000;
const USER = `0x${'a'.repeat(40)}`;

interface Reply {
  readonly status: number;
  readonly body: {
    readonly native?: unknown;
    readonly meta?: { readonly source: string };
    readonly error?: { readonly code: string; readonly provider: string };
  };
}

/** A self-hosted node of the venue that counts requests by type and user, and answers while `isOpen`. */
async function startNode() {
  const node = { isOpen: true, url: '', counts: new Map<string, number>(), close: async () => {} };
  const waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { type, user = '' } = JSON.parse(text) as { type: string; user?: string };
    const key = `${type} ${user}`.trim();
    node.counts.set(key, (node.counts.get(key) ?? 0) + 1);
    if (!node.isOpen && type !== 'exchangeStatus') await new Promise<void>((resolve) => waiting.push(resolve));
    response.end(JSON.stringify({ of: key, time: Date.now() }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  node.close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return Object.assign(node, {
    open: () => {
      node.isOpen = true;
      for (const answer of waiting.splice(0)) answer();
    },
  });
}

describe.skipIf(MISSING)(`reads on three nodes over Kafka ${MISSING ?? ''}`, { timeout: 240_000 }, () => {
  let backends: Backends;
  let node: Awaited<ReturnType<typeof startNode>>;
  let apis: readonly Service[] = [];
  let ingest: Service;

  const start = (name: string, role: string, flags: readonly string[] = []) =>
    startService({
      dataDir: join(backends.folder, name),
      flags: [...backends.flags, ...SIMULATOR_FLAGS, '--roles', role, ...flags],
      env: { PARALLAX_VENUE_A_NODE_URL: node.url },
    });
  const read = async (api: Service, path: string): Promise<Reply> => {
    const response = await fetch(`${api.rest}/v1/venue_a/info/${path}`, {
      headers: { authorization: `Bearer ${TEST_TOKEN}` },
      signal: AbortSignal.timeout(READ_TIMEOUT_MS),
    });
    return { status: response.status, body: (await response.json()) as Reply['body'] };
  };
  /** Sends equal reads to all nodes at once. */
  const readAtOnce = (path: string) =>
    Promise.all(Array.from({ length: READS }, (_, nth) => read(apis[nth % apis.length]!, path)));

  beforeAll(async () => {
    [backends, node] = await Promise.all([startBackends(), startNode()]);
    // The first process creates topics and tables.
    apis = [await start('api-1', 'query-api')];
    const [second, third, started] = await Promise.all([
      start('api-2', 'query-api'),
      start('api-3', 'query-api'),
      start('ingest', 'ingest'),
    ]);
    apis = [...apis, second, third];
    ingest = started;
    await eventually(
      () => read(apis[0]!, 'meta?dex='),
      ({ status }) => status === 200,
      60_000,
    );
  }, 300_000);
  afterAll(async () => {
    for (const service of [ingest, ...apis]) await service?.kill();
    await node?.close();
    await backends?.close();
  }, 120_000);

  it('100 equal concurrent reads are one request to the venue', async () => {
    await eventually(
      () => read(apis[0]!, `spot-clearinghouse-state?user=${USER}`),
      ({ body }) => body.meta?.source === 'node',
    );
    const replies = await readAtOnce('spotMeta');
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies.every(({ body }) => (body.native as { of: string }).of === 'spotMeta')).toBe(true);
    expect(node.counts.get('spotMeta')).toBe(1);
  });

  it('loses no read when ingest is killed: each gets a response or the documented error', async () => {
    const path = `clearinghouse-state?user=${USER}`;
    const key = `clearinghouseState ${USER}`;
    node.isOpen = false;
    const reads = readAtOnce(path);
    await eventually(
      async () => node.counts.get(key) ?? 0,
      (count) => count > 0,
    );
    await ingest.kill();
    node.open();
    ingest = await start('ingest', 'ingest');
    const replies = await reads;
    expect(replies).toHaveLength(READS);
    for (const { status, body } of replies) {
      if (status === 200) continue;
      expect([status, body.error]).toEqual([
        502,
        expect.objectContaining({ code: 'upstream_unavailable', provider: 'venue_a' }),
      ]);
    }
    await eventually(
      () => read(apis[2]!, path),
      ({ status }) => status === 200,
      60_000,
    );
  });
});
