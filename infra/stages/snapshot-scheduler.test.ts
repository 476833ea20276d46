import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StagePosition } from './snapshot.ts';
import { SnapshotScheduler } from './snapshot-scheduler.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const CHECKPOINT: StagePosition = { offsets: new Map(), inputSeqs: new Map(), outputSeqs: new Map(), receivedAt: 1 };
const checkpoint = () => CHECKPOINT;

/** A scheduler with a store in which each save waits for the test. */
function setUp() {
  const saves: { copied: () => void; written: (bytes?: number) => void; failed: (error: Error) => void }[] = [];
  const newest = {
    load: async () => null,
    save: (_: unknown, onCopied: () => void = () => {}) =>
      new Promise<number>((resolve, failed) => {
        saves.push({ copied: onCopied, written: (bytes = 0) => resolve(bytes), failed });
      }),
  };
  const dailyCheckpoints = { save: async () => {}, list: async () => [], load: async () => null };
  const logger = pino({ level: 'silent' });
  const scheduler = new SnapshotScheduler({
    state: {},
    newest,
    dailyCheckpoints: dailyCheckpoints as never,
    stage: 'test',
    logger,
  });
  const becomeDue = () => {
    scheduler.processed(20_000);
    vi.setSystemTime(Date.now() + 3_600_000);
  };
  return { scheduler, saves, becomeDue };
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
  it('delays the stage until its state is copied, and no second one starts while it is written', async () => {
    const { scheduler, saves, becomeDue } = setUp();
    becomeDue();
    const due = scheduler.saveWhenDue(checkpoint);
    expect(await isSettled(due)).toBe(false);
    saves[0]!.copied();
    expect(await isSettled(due)).toBe(true);
    scheduler.processed(20_000);
    await scheduler.saveWhenDue(checkpoint);
    expect(saves).toHaveLength(1);
    saves[0]!.written();
    await isSettled(due);
    becomeDue();
    expect(await isSettled(scheduler.saveWhenDue(checkpoint))).toBe(false);
    expect(saves).toHaveLength(2);
  });

  it('is awaited at a stop, and later records are stored in another one', async () => {
    const { scheduler, saves, becomeDue } = setUp();
    becomeDue();
    const due = scheduler.saveWhenDue(checkpoint);
    saves[0]!.copied();
    await due;
    scheduler.processed(1);
    const stopped = scheduler.flush(checkpoint);
    expect(await isSettled(stopped)).toBe(false);
    expect(saves).toHaveLength(1);
    saves[0]!.written();
    await isSettled(stopped);
    expect(saves).toHaveLength(2);
    saves[1]!.written();
    await stopped;
    await scheduler.flush(checkpoint);
    expect(saves).toHaveLength(2);
  });

  it('delays the next one by its size, however long it took to write', async () => {
    const { scheduler, saves, becomeDue } = setUp();
    becomeDue();
    const due = scheduler.saveWhenDue(checkpoint);
    vi.setSystemTime(Date.now() + 600_000);
    saves[0]!.copied();
    saves[0]!.written(35_000_000);
    await isSettled(due);
    const nextAfter = async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      scheduler.processed(20_000);
      await isSettled(scheduler.saveWhenDue(checkpoint));
      return saves.length;
    };
    expect(await nextAfter(100_000)).toBe(1);
    expect(await nextAfter(5_000)).toBe(2);
  });

  it('ends the stage if it can never be written', async () => {
    const { scheduler, saves, becomeDue } = setUp();
    becomeDue();
    const due = scheduler.saveWhenDue(checkpoint);
    saves[0]!.copied();
    await due;
    saves[0]!.failed(new Error('the disk is gone'));
    await isSettled(due);
    await expect(scheduler.saveWhenDue(checkpoint)).rejects.toThrow('the disk is gone');
    await expect(scheduler.flush(checkpoint)).rejects.toThrow('the disk is gone');
  });
});
