/** Tests reads of a venue that three nodes of the query API request from ingest. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ControlCluster } from './control-nodes.ts';
import { eventually, type Service, TEST_TOKEN } from './service.ts';

const READS = 100;
/** Longer than any read may take. */
const READ_TIMEOUT_MS = 60_000;
const USER = `0x${'a'.repeat(40)}`;
/** Time between reads while there is no ingest: much shorter than the 10 s after which a read has expired. */
const READ_INTERVAL_MS = 3_000;

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
const readAtOnce = (apis: readonly Service[], path: string, reads = READS) =>
  Promise.all(Array.from({ length: reads }, (_, nth) => read(apis[nth % apis.length]!, path)));
const userOf = (nth: number) => `0x${String(nth).padStart(40, 'b')}`;
const stateOf = (user: string) => `clearinghouse-state?user=${user}`;

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
    const requests = (user: string) => venueNode.counts.get(`clearinghouseState ${user}`) ?? 0;
    venueNode.hold();
    const reads = readAtOnce(apis, stateOf(USER));
    await eventually(
      async () => requests(USER),
      (count) => count > 0,
    );
    await run.nodes.killPipeline();
    venueNode.open();
    const starting = run.nodes.startPipeline();
    let isStarted = false;
    const started = starting.finally(() => {
      isStarted = true;
    });
    const meanwhile: Promise<Reply[]>[] = [];
    while (!isStarted) {
      meanwhile.push(readAtOnce(apis, stateOf(userOf(meanwhile.length)), apis.length));
      await Promise.race([started, sleep(READ_INTERVAL_MS)]);
    }
    await starting;
    const replies = [await reads, ...(await Promise.all(meanwhile))];
    expect(replies[0]).toHaveLength(READS);
    for (const { status, body } of replies.flat()) {
      if (status === 200) continue;
      expect([status, body.error]).toEqual([
        502,
        expect.objectContaining({ code: 'upstream_unavailable', provider: 'venue_a' }),
      ]);
    }
    // The next process serves what is not too old, with one request for all equal reads.
    expect(replies.at(-1)!.map(({ status }) => status)).toEqual(apis.map(() => 200));
    expect(requests(USER)).toBeLessThanOrEqual(2);
    for (const nth of meanwhile.keys()) expect(requests(userOf(nth))).toBeLessThanOrEqual(1);
    await eventually(
      () => read(apis[2], stateOf(USER)),
      ({ status }) => status === 200,
      60_000,
    );
  });
}
