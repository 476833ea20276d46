import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StagePosition } from './snapshot.ts';
import { SnapshotTaker } from './snapshot-taker.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const STANDING: StagePosition = { offsets: new Map(), inputSeqs: new Map(), outputSeqs: new Map(), receivedAt: 1 };
const standing = () => STANDING;

/** A taker over a store in which each save waits for the test. */
function setUp() {
  const saves: { copied: () => void; written: (bytes?: number) => void; failed: (error: Error) => void }[] = [];
  const newest = {
    load: async () => null,
    save: (_: unknown, onCopied: () => void = () => {}) =>
      new Promise<number>((resolve, failed) => {
        saves.push({ copied: onCopied, written: (bytes = 0) => resolve(bytes), failed });
      }),
  };
  const cuts = { save: async () => {}, list: async () => [], load: async () => null };
  const logger = pino({ level: 'silent' });
  const taker = new SnapshotTaker({ state: {}, newest, cuts: cuts as never, stage: 'test', logger });
  const becomeDue = () => {
    taker.stepped(20_000);
    vi.setSystemTime(Date.now() + 3_600_000);
  };
  return { taker, saves, becomeDue };
}

const isSettled = async (promise: Promise<void>) => {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
};

describe('a large snapshot', () => {
  it('holds the stage up until its state is copied, and no second one begins while it is written', async () => {
    const { taker, saves, becomeDue } = setUp();
    becomeDue();
    const due = taker.saveWhenDue(standing);
    expect(await isSettled(due)).toBe(false);
    saves[0]!.copied();
    expect(await isSettled(due)).toBe(true);
    taker.stepped(20_000);
    await taker.saveWhenDue(standing);
    expect(saves).toHaveLength(1);
    saves[0]!.written();
    await isSettled(due);
    becomeDue();
    expect(await isSettled(taker.saveWhenDue(standing))).toBe(false);
    expect(saves).toHaveLength(2);
  });

  it('is waited for at a stop, and what was stepped meanwhile goes into another', async () => {
    const { taker, saves, becomeDue } = setUp();
    becomeDue();
    const due = taker.saveWhenDue(standing);
    saves[0]!.copied();
    await due;
    taker.stepped(1);
    const stopped = taker.saveIfStepped(standing);
    expect(await isSettled(stopped)).toBe(false);
    expect(saves).toHaveLength(1);
    saves[0]!.written();
    await isSettled(stopped);
    expect(saves).toHaveLength(2);
    saves[1]!.written();
    await stopped;
    await taker.saveIfStepped(standing);
    expect(saves).toHaveLength(2);
  });

  it('comes the later the larger it is, however long it took to write', async () => {
    const { taker, saves, becomeDue } = setUp();
    becomeDue();
    const due = taker.saveWhenDue(standing);
    vi.setSystemTime(Date.now() + 600_000);
    saves[0]!.copied();
    saves[0]!.written(35_000_000);
    await isSettled(due);
    const nextAfter = async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      taker.stepped(20_000);
      await isSettled(taker.saveWhenDue(standing));
      return saves.length;
    };
    expect(await nextAfter(100_000)).toBe(1);
    expect(await nextAfter(5_000)).toBe(2);
  });

  it('that can never be written ends the stage', async () => {
    const { taker, saves, becomeDue } = setUp();
    becomeDue();
    const due = taker.saveWhenDue(standing);
    saves[0]!.copied();
    await due;
    saves[0]!.failed(new Error('the disk is gone'));
    await isSettled(due);
    await expect(taker.saveWhenDue(standing)).rejects.toThrow('the disk is gone');
    await expect(taker.saveIfStepped(standing)).rejects.toThrow('the disk is gone');
  });
});
