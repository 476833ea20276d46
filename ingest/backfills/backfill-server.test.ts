import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BackfillClient, openBackfillClient } from '#infra/backfills/backfill-client';
import type { Running } from '#infra/context';
import { readPartition } from '#infra/log/read-partition';
import { type BackfillOutcome, backfillOutcomeTopic } from '#schemas/topics/backfills';
import { silentLogger as logger, until } from '../testing/open-publisher.fixture.ts';
import { openTestRole, type TestRole, testFolder } from '../testing/role-context.fixture.ts';
import { type BackfillOptions, type ScanResult, startBackfillServer } from './backfill-server.ts';

const closing: (() => Promise<unknown>)[] = [];
let role: TestRole;
beforeEach(async () => {
  const { folder, remove } = await testFolder();
  closing.push(remove);
  role = await openTestRole(folder, {});
  closing.push(() => role.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const FOUND: ScanResult = { fills: 3, fromBlock: 10, toBlock: 20 };
const REQUEST = { orgId: 'org', address: '0xwallet', lookbackDays: 7 };

async function openClient(waitMs?: number): Promise<BackfillClient> {
  const { log, codec } = role.context;
  const client = await openBackfillClient({ log, codec, logger, ...(waitMs === undefined ? {} : { waitMs }) });
  closing.push(() => client.close());
  return client;
}
async function openServer(scan: BackfillOptions['scan'], options: Partial<BackfillOptions> = {}): Promise<Running> {
  const { log, codec } = role.context;
  const server = await startBackfillServer({ log, codec, logger, scan, ...options });
  closing.push(() => server.close());
  return server;
}
async function outcomes(): Promise<BackfillOutcome[]> {
  const { log, codec } = role.context;
  const found: BackfillOutcome[] = [];
  await readPartition(log, { topic: backfillOutcomeTopic.name, partition: 0 }, ({ value }) => {
    found.push(codec.decode(backfillOutcomeTopic, value!));
  });
  return found;
}
/** A scan that ends when the test ends it. */
function controlledScan() {
  const started: { end(): void; fail(error: Error): void; signal: AbortSignal }[] = [];
  const scan = (_: unknown, signal: AbortSignal) =>
    new Promise<ScanResult>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      started.push({ end: () => resolve(FOUND), fail: reject, signal });
    });
  return { started, scan };
}

describe('a backfill', () => {
  it('answers all equal requests of the meantime with the result of one scan', async () => {
    const { started, scan } = controlledScan();
    await openServer(scan);
    const clients = [await openClient(), await openClient()];
    const answers = clients.map((client) => client.request(REQUEST));
    await until(() => started.length === 1);
    answers.push(clients[0]!.request({ ...REQUEST, orgId: 'other' }));
    const late = clients[0]!.request({ ...REQUEST, lookbackDays: 8 });
    await until(() => started.length === 2);
    for (const each of started) each.end();
    const found = (await Promise.all([...answers, late])) as BackfillOutcome[];
    expect(found.map(({ failure, fills, fromBlock, toBlock }) => [failure, fills, fromBlock, toBlock])).toEqual(
      Array.from({ length: 4 }, () => [null, 3, 10, 20]),
    );
    expect(new Set(found.map(({ id }) => id)).size).toBe(4);
    expect(started).toHaveLength(2);
  });

  it('continues after a caller has stopped waiting, and answers a repeated request from its cached result', async () => {
    const { started, scan } = controlledScan();
    await openServer(scan, { slowMs: 0 });
    const client = await openClient(200);
    expect(await client.request(REQUEST)).toBe('late');
    started[0]!.end();
    await until(() => started.length === 1);
    expect(await client.request(REQUEST)).toMatchObject({ failure: null, fills: 3 });
    expect(started).toHaveLength(1);
  });

  it('scans again for a repeated request if the first scan was quick', async () => {
    let scans = 0;
    await openServer(async () => {
      scans += 1;
      return { ...FOUND, fills: scans };
    });
    const client = await openClient();
    expect([await client.request(REQUEST), await client.request(REQUEST)]).toMatchObject([{ fills: 1 }, { fills: 2 }]);
  });

  it('fails if the node fails, if there is none, and if too many requests wait', async () => {
    const client = await openClient();
    const failing = await openServer(async () => Promise.reject(new Error('the node is down')));
    expect(await client.request(REQUEST)).toMatchObject({ failure: 'node_failed', fills: 0 });
    await failing.close();
    const without = await openServer(null);
    expect(await client.request(REQUEST)).toMatchObject({ failure: 'no_node' });
    await without.close();
    const { started, scan } = controlledScan();
    await openServer(scan, { limits: { perOrganization: 1, total: 9, running: 1 } });
    const first = client.request(REQUEST);
    await until(() => started.length === 1);
    expect(await client.request({ ...REQUEST, address: '0xother' })).toMatchObject({ failure: 'busy' });
    started[0]!.end();
    expect(await first).toMatchObject({ failure: null });
  });

  it('is completed once by the next process if a process leaves it unanswered', async () => {
    const { started, scan } = controlledScan();
    const client = await openClient();
    const first = await openServer(scan);
    const answer = client.request(REQUEST);
    await until(() => started.length === 1);
    await first.close();
    expect([started[0]!.signal.aborted, await outcomes()]).toEqual([true, []]);
    const second = await openServer(async () => FOUND);
    expect(await answer).toMatchObject({ failure: null, fills: 3 });
    await second.close();
    let again = 0;
    await openServer(async () => {
      again += 1;
      return FOUND;
    });
    expect(await client.request({ ...REQUEST, address: '0xother' })).toMatchObject({ failure: null });
    expect([again, (await outcomes()).length]).toEqual([1, 2]);
  });

  it('is refused by its service node if too many wait there', async () => {
    const client = await openClient(1_000);
    const waiting = Array.from({ length: 10 }, (_, at) => client.request({ ...REQUEST, address: `0x${at}` }));
    expect(await client.request({ ...REQUEST, address: '0xlast' })).toBe('busy');
    expect(await client.request({ ...REQUEST, orgId: 'other' })).toBe('late');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['late']));
  });
});
