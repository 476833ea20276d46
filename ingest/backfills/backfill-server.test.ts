import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BackfillHost, openBackfillHost } from '#infra/backfills/backfill-host';
import type { Running } from '#infra/context';
import { readPartition } from '#infra/log/read-partition';
import { type BackfillOutcome, backfillOutcomeTopic } from '#schemas/topics/backfills';
import { silentLogger as logger, until } from '../testing/open-publisher.fixture.ts';
import { openTestRole, type TestRole, testFolder } from '../testing/role-context.fixture.ts';
import { answerBackfills, type BackfillOptions, type ScanResult } from './answer-backfills.ts';

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
const WISH = { orgId: 'org', address: '0xwallet', lookbackDays: 7 };

async function openHost(waitMs?: number): Promise<BackfillHost> {
  const { log, codec } = role.context;
  const host = await openBackfillHost({ log, codec, logger, ...(waitMs === undefined ? {} : { waitMs }) });
  closing.push(() => host.close());
  return host;
}
async function openDesk(scan: BackfillOptions['scan'], options: Partial<BackfillOptions> = {}): Promise<Running> {
  const { log, codec } = role.context;
  const desk = await answerBackfills({ log, codec, logger, scan, ...options });
  closing.push(() => desk.close());
  return desk;
}
async function outcomes(): Promise<BackfillOutcome[]> {
  const { log, codec } = role.context;
  const found: BackfillOutcome[] = [];
  await readPartition(log, { topic: backfillOutcomeTopic.name, partition: 0 }, ({ value }) => {
    found.push(codec.decode(backfillOutcomeTopic, value!));
  });
  return found;
}
/** A scan that ends when the test says so. */
function heldScan() {
  const begun: { end(): void; fail(error: Error): void; signal: AbortSignal }[] = [];
  const scan = (_: unknown, signal: AbortSignal) =>
    new Promise<ScanResult>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      begun.push({ end: () => resolve(FOUND), fail: reject, signal });
    });
  return { begun, scan };
}

describe('a backfill', () => {
  it('is answered with what the scan found, to everyone who asked for the same meanwhile', async () => {
    const { begun, scan } = heldScan();
    await openDesk(scan);
    const hosts = [await openHost(), await openHost()];
    const answers = hosts.map((host) => host.ask(WISH));
    await until(() => begun.length === 1);
    answers.push(hosts[0]!.ask({ ...WISH, orgId: 'other' }));
    const late = hosts[0]!.ask({ ...WISH, lookbackDays: 8 });
    await until(() => begun.length === 2);
    for (const each of begun) each.end();
    const found = (await Promise.all([...answers, late])) as BackfillOutcome[];
    expect(found.map(({ failure, fills, fromBlock, toBlock }) => [failure, fills, fromBlock, toBlock])).toEqual(
      Array.from({ length: 4 }, () => [null, 3, 10, 20]),
    );
    expect(new Set(found.map(({ id }) => id)).size).toBe(4);
    expect(begun).toHaveLength(2);
  });

  it('is late for one who waits too long, and goes on; its result is kept for a repeat', async () => {
    const { begun, scan } = heldScan();
    await openDesk(scan, { slowMs: 0 });
    const host = await openHost(200);
    expect(await host.ask(WISH)).toBe('late');
    begun[0]!.end();
    await until(() => begun.length === 1);
    expect(await host.ask(WISH)).toMatchObject({ failure: null, fills: 3 });
    expect(begun).toHaveLength(1);
  });

  it('is looked up anew by a repeat where the first was quick', async () => {
    let scans = 0;
    await openDesk(async () => {
      scans += 1;
      return { ...FOUND, fills: scans };
    });
    const host = await openHost();
    expect([await host.ask(WISH), await host.ask(WISH)]).toMatchObject([{ fills: 1 }, { fills: 2 }]);
  });

  it('fails with the node, without one, and where too many wait', async () => {
    const host = await openHost();
    const failing = await openDesk(async () => Promise.reject(new Error('the node is away')));
    expect(await host.ask(WISH)).toMatchObject({ failure: 'node_failed', fills: 0 });
    await failing.close();
    const without = await openDesk(null);
    expect(await host.ask(WISH)).toMatchObject({ failure: 'no_node' });
    await without.close();
    const { begun, scan } = heldScan();
    await openDesk(scan, { limits: { perOrganization: 1, total: 9, running: 1 } });
    const first = host.ask(WISH);
    await until(() => begun.length === 1);
    expect(await host.ask({ ...WISH, address: '0xother' })).toMatchObject({ failure: 'busy' });
    begun[0]!.end();
    expect(await first).toMatchObject({ failure: null });
  });

  it('that a process leaves behind is taken up by the next, once', async () => {
    const { begun, scan } = heldScan();
    const host = await openHost();
    const first = await openDesk(scan);
    const answer = host.ask(WISH);
    await until(() => begun.length === 1);
    await first.close();
    expect([begun[0]!.signal.aborted, await outcomes()]).toEqual([true, []]);
    const second = await openDesk(async () => FOUND);
    expect(await answer).toMatchObject({ failure: null, fills: 3 });
    await second.close();
    let again = 0;
    await openDesk(async () => {
      again += 1;
      return FOUND;
    });
    expect(await host.ask({ ...WISH, address: '0xother' })).toMatchObject({ failure: null });
    expect([again, (await outcomes()).length]).toEqual([1, 2]);
  });

  it('is refused by the node that it was asked of when too many wait there', async () => {
    const host = await openHost(1_000);
    const waiting = Array.from({ length: 10 }, (_, at) => host.ask({ ...WISH, address: `0x${at}` }));
    expect(await host.ask({ ...WISH, address: '0xlast' })).toBe('busy');
    expect(await host.ask({ ...WISH, orgId: 'other' })).toBe('late');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['late']));
  });
});
