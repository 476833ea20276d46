/** Tests reads of a venue that three nodes of the query API request from ingest. */
import { expect, it } from 'vitest';
import type { ControlCluster } from './control-nodes.ts';
import { eventually, type Service, TEST_TOKEN } from './service.ts';

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

async function read(api: Service, path: string): Promise<Reply> {
  const response = await fetch(`${api.rest}/v1/venue_a/info/${path}`, {
    headers: { authorization: `Bearer ${TEST_TOKEN}` },
    signal: AbortSignal.timeout(READ_TIMEOUT_MS),
  });
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

/** Sends equal reads to all nodes at once. */
const readAtOnce = (apis: readonly Service[], path: string) =>
  Promise.all(Array.from({ length: READS }, (_, nth) => read(apis[nth % apis.length]!, path)));

export function readsSuite(run: { readonly nodes: ControlCluster }): void {
  it('100 equal concurrent reads of three nodes are one request to the venue', async () => {
    const { apis, venueNode } = run.nodes;
    await eventually(
      () => read(apis[0], 'meta?dex='),
      ({ status }) => status === 200,
      60_000,
    );
    await eventually(
      () => read(apis[0], `spot-clearinghouse-state?user=${USER}`),
      ({ body }) => body.meta?.source === 'node',
    );
    const replies = await readAtOnce(apis, 'spotMeta');
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies.every(({ body }) => (body.native as { of: string }).of === 'spotMeta')).toBe(true);
    expect(venueNode.counts.get('spotMeta')).toBe(1);
  });

  it('no read is lost when ingest is killed: each gets a response or the documented error', async () => {
    const { apis, venueNode } = run.nodes;
    const path = `clearinghouse-state?user=${USER}`;
    venueNode.hold();
    const reads = readAtOnce(apis, path);
    await eventually(
      async () => venueNode.counts.get(`clearinghouseState ${USER}`) ?? 0,
      (count) => count > 0,
    );
    await run.nodes.killPipeline();
    venueNode.open();
    await run.nodes.startPipeline();
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
      () => read(apis[2], path),
      ({ status }) => status === 200,
      60_000,
    );
  });
}
