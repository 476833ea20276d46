import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMetrics } from '#infra/telemetry/metrics';
import { type SnapshotHead, snapshotHeadTopic } from '#schemas/topics/nav-snapshots';
import { UpstreamError } from '../feed/errors.ts';
import { openTestRole, testFolder } from '../testing/role-context.fixture.ts';
import { startSnapshots } from './request-snapshots.ts';
import { SnapshotTurns } from './snapshot-turns.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const START = 100 * HOUR;

describe('turns of snapshots', () => {
  it('begin with the account that has gone longest without one, within ten minutes of the mark', () => {
    const turns = new SnapshotTurns();
    turns.record('new', START - HOUR);
    turns.record('never', null);
    turns.record('old', START - 3 * HOUR);
    const order = (now: number) => {
      const accounts: string[] = [];
      for (let turn = turns.next(now); turn; turn = turns.next(now)) accounts.push(turn.account);
      return accounts;
    };
    expect(order(START - 1)).toEqual([]);
    expect(order(START + 999)).toEqual([]);
    expect(order(START + 1_000)).toEqual(['never', 'old', 'new']);
    turns.record('bound now', null);
    expect(turns.next(START + 10 * MINUTE)).toBeNull();
    expect(turns.next(START + 10 * MINUTE - 1)).toEqual({ account: 'bound now', until: START + 10 * MINUTE });
  });

  it('of a failed attempt come again after those without one, and end with the snapshot', () => {
    const turns = new SnapshotTurns(() => 1);
    const now = START + MINUTE;
    turns.record('a', null);
    const first = turns.next(now)!;
    turns.failed(first, 'failed', now);
    turns.record('b', null);
    expect(turns.next(now + MINUTE)!.account).toBe('b');
    expect(turns.next(now + MINUTE)!.account).toBe('a');
    turns.acquired(first, now + MINUTE);
    expect(turns.next(now + MINUTE + 29_999)).toBeNull();
    turns.record('a', START);
    expect(turns.next(now + 2 * MINUTE)).toBeNull();
    turns.forget('b');
    expect(turns.next(START + HOUR + MINUTE)!.account).toBe('a');
  });

  it('of 100,000 accounts each come once', () => {
    const turns = new SnapshotTurns();
    for (let account = 0; account < 100_000; account += 1) turns.record(`${account}`, START - HOUR * (account % 50));
    const seen = new Set<string>();
    for (let turn = turns.next(START + 1_000); turn; turn = turns.next(START + 1_000)) seen.add(turn.account);
    // Those with a remainder of 0 have the snapshot of this hour.
    expect(seen.size).toBe(98_000);
  });

  it('end with an outcome', () => {
    const turns = new SnapshotTurns();
    for (const account of ['taken', 'late', 'failed', 'waiting']) turns.record(account, null);
    const now = START + MINUTE;
    const [taken, late, failed] = [turns.next(now)!, turns.next(now)!, turns.next(now)!];
    turns.acquired(taken, now);
    turns.record('taken', START);
    turns.acquired(late, now);
    turns.failed(failed, 'failed', now);
    expect([...turns.outcomesOf(START)]).toEqual(['taken', 'late', 'failed', 'no_room']);
  });
});

it('acquires followed accounts of its venue at the hour mark, and counts what became of them', async () => {
  const { folder, remove } = await testFolder();
  closing.push(remove);
  const role = await openTestRole(folder, {});
  closing.push(() => role.close());
  const { log, codec } = role.context;
  await log.createTopics([snapshotHeadTopic]);
  await codec.prepare([snapshotHeadTopic]);
  let seq = 0;
  const append = async (account: string, hour: number | null) => {
    const figures = { navUsd: '1', valueUsd: null, availableUsd: '1', unrealizedPnlUsd: null };
    const newest = hour === null ? null : { account, ledger: 1, hour, asOf: hour, receivedAt: hour, ...figures };
    const record: SnapshotHead = { account, ledger: 1, newest };
    seq += 1;
    const at = { topic: snapshotHeadTopic.name, partition: 0, key: account, receivedAt: 1_000 };
    await log.append([{ ...at, value: codec.encode(snapshotHeadTopic, record), seq }]);
  };
  for (const account of ['venue_b:0x1', 'venue_b:0x2', 'venue_a:0x3']) await append(account, null);
  const metrics = createMetrics();
  let now = START - MINUTE;
  const acquired: string[] = [];
  const snapshots = await startSnapshots({
    context: { ...role.context, metrics },
    family: 'venue_b',
    priority: 1,
    urgent: { priority: 0, fits: () => 1 },
    now: () => now,
    wait: async (_, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return !signal.aborted;
    },
    acquire: async (address, { cause, priority, roomUntil }) => {
      acquired.push(`${address} ${cause} ${priority} ${roomUntil - START}`);
      if (address === '0x2') throw new UpstreamError('upstream_unavailable', 'no response');
      await append(`venue_b:${address}`, START);
      return { publishedAt: now, native: [] };
    },
  });
  closing.push(() => snapshots.close());
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(acquired).toEqual([]);
  now = START + 2_000;
  await vi.waitFor(() => expect(acquired.length).toBe(2), 10_000);
  // Two were left, of which one fits.
  expect(acquired.sort()).toEqual([`0x1 snapshot 0 ${10 * MINUTE}`, `0x2 snapshot 1 ${10 * MINUTE}`]);
  now = START + 12 * MINUTE;
  const counted = async () =>
    (await metrics.navSnapshots.get()).values.map(({ labels, value }) => `${labels.venue} ${labels.outcome} ${value}`);
  await vi.waitFor(
    async () => expect((await counted()).sort()).toEqual(['venue_b failed 1', 'venue_b taken 1']),
    10_000,
  );
});
