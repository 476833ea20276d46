import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockTopic, commandTopic, stateTopic } from '#schemas/topics/control';
import { readPartition } from '../log/read-partition.ts';
import { createAuthenticator } from './authenticator.ts';
import { type ControlReplica, openControlReplica } from './control-replica.ts';
import { ControlSnapshots } from './control-snapshots.ts';
import { openTestLog, type TestLog } from './open-test-log.fixture.ts';
import { seedAdminKey } from './seed.ts';

const STATE_AT = { topic: stateTopic('control').name, partition: 0 };
const NEVER = { intervalMs: 600_000, commands: 1 };
let opened: TestLog;
let replicas: ControlReplica[];
let logged: string[];
const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });

beforeEach(async () => {
  opened = await openTestLog();
  replicas = [];
  logged = [];
});
afterEach(async () => {
  for (const replica of replicas) await replica.close();
  await opened.close();
});

/** A separate node, with the offset at which it began to read commands. */
async function node(snapshotPace = NEVER): Promise<{ replica: ControlReplica; readFrom: number }> {
  const log = Object.create(opened.log) as typeof opened.log;
  let readFrom = -1;
  log.reader = (from) => {
    for (const { topic, offset } of from) if (topic === commandTopic.name && readFrom < 0) readFrom = offset;
    return opened.log.reader(from);
  };
  const replica = await openControlReplica({ log, codec: opened.codec, logger, snapshotPace });
  replicas.push(replica);
  return { replica, readFrom };
}
/** Binds the wallets `from` to `to - 1` of the first organization. */
async function bind(replica: ControlReplica, from: number, to: number): Promise<void> {
  const { id: keyId, orgId, userId } = [...replica.state.keys.values()][0]!;
  const actor = { orgId, keyId, userId, sandbox: false };
  const wallet = (nth: number) => ({
    walletId: `wal_${nth}`,
    provider: 'venue_a',
    address: `0x${String(nth).padStart(40, '0')}`,
    label: '',
  });
  for (let nth = from; nth < to; nth += 1)
    expect(await replica.submit('wallet.bind', { actor, ...wallet(nth) })).toMatchObject({ ok: true });
}
const seed = (replica: ControlReplica) =>
  seedAdminKey({
    replica: replica,
    authenticator: createAuthenticator(replica),
    logger,
    adminToken: null,
    plan: 'pro',
  });
const snapshots = () => ControlSnapshots.open({ log: opened.log, codec: opened.codec, logger });
/** Names of the snapshots in the topic, oldest first. */
async function snapshotNames(): Promise<string[]> {
  const keys = new Set<string>();
  await readPartition(opened.log, STATE_AT, ({ key, value }) => void (value ? keys.add(key) : keys.delete(key)));
  return [...new Set([...keys].map((key) => key.slice(0, key.lastIndexOf('/'))))];
}

describe('a start', () => {
  it('continues from the snapshot that a node wrote, and decides like that node', async () => {
    const { replica: first } = await node({ intervalMs: 5, commands: 10 });
    await seed(first);
    await bind(first, 0, 12);
    const store = await snapshots();
    await vi.waitFor(async () => expect(await store.newest()).toBeGreaterThanOrEqual(10), 5_000);
    await bind(first, 12, 15);
    const { replica: second, readFrom } = await node();
    expect(readFrom).toBeGreaterThanOrEqual(10);
    expect(second.state).toEqual(first.state);
    await bind(second, 15, 17);
    await vi.waitFor(() => expect(first.state).toEqual(second.state), 5_000);
  });

  it('stamps no command before those in the snapshot', async () => {
    const receivedAt = Date.UTC(2026, 2, 1);
    await opened.log.createTopics([clockTopic]);
    await opened.codec.prepare([clockTopic]);
    const mark = opened.codec.encode(clockTopic, { receivedAt, tick: true, hour: false, day: false });
    await opened.log.append([{ topic: clockTopic.name, partition: 0, key: 'clock', value: mark, receivedAt, seq: 1 }]);
    const { replica: first } = await node();
    await seed(first);
    await (await snapshots()).save(first.state, 1, receivedAt);
    await opened.log.clearTopic(clockTopic.name);
    const { replica: second } = await node();
    await bind(second, 0, 1);
    const at = { topic: commandTopic.name, partition: 0 };
    expect((await opened.log.last(at))!.receivedAt).toBe(receivedAt);
  });

  it('reads every command if there is no snapshot', async () => {
    const { replica: first } = await node();
    await seed(first);
    expect(await snapshotNames()).toEqual([]);
    const { replica: second, readFrom } = await node();
    expect(readFrom).toBe(0);
    expect(second.state).toEqual(first.state);
  });

  it('continues from the previous snapshot if the newest is incomplete', async () => {
    const { replica: first } = await node();
    await seed(first);
    const store = await snapshots();
    await store.save(first.state, 1, 0);
    await bind(first, 0, 3);
    await store.save(first.state, 4, 0);
    const newest = (await snapshotNames()).find((name) => name.startsWith('4-'))!;
    await opened.log.append([{ ...STATE_AT, key: `${newest}/0`, value: null, receivedAt: 0, seq: 0 }]);
    const { replica: second, readFrom } = await node();
    expect(readFrom).toBe(1);
    expect(second.state).toEqual(first.state);
    expect(logged.join()).toContain('chunks are missing');
  });
});

describe('nodes that write snapshots at the same time', () => {
  it('retain at most the newest two complete snapshots, of which the newest is loaded', async () => {
    const { replica: first } = await node();
    await seed(first);
    await bind(first, 0, 6);
    const stores = [await snapshots(), await snapshots(), await snapshots()];
    for (let next = 3; next <= 7; next += 1)
      await Promise.all(stores.map((store, nth) => store.save(first.state, next - nth, 0)));
    const loaded = await (await snapshots()).load();
    expect(loaded!.next).toBe(7);
    expect(loaded!.state).toEqual(first.state);
    await stores[0]!.save(first.state, 7, 0);
    expect((await snapshotNames()).length).toBeLessThanOrEqual(2);
  });

  it('do not write one that another node has just written', async () => {
    const { replica: first } = await node();
    await seed(first);
    await bind(first, 0, 12);
    await (await snapshots()).save(first.state, 13, 0);
    await node({ intervalMs: 2, commands: 10 });
    await bind(first, 12, 15);
    const before = await snapshotNames();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await snapshotNames()).toEqual(before);
  });
});
