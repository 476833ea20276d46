import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isTurnUsedUp, nextTurn } from './turn.ts';

const SLICE_MS = 5;
const SLICES = 4;
const TASKS = 40;

let now = 1_000;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs work while counting how long each turn of the event loop lasts. Returns the longest. */
async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  let [longest, began, isDone] = [0, now, false];
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await turnOfOthers();
    longest = Math.max(longest, now - began);
    began = now;
  }
  await done;
  return longest;
}

describe('a turn of the event loop', () => {
  it('is at most three slices long, however many have work', async () => {
    const task = async () => {
      for (let slice = 0; slice < SLICES; slice += 1) {
        if (isTurnUsedUp()) await nextTurn();
        now += SLICE_MS;
      }
    };
    const longest = await longestTurnOf(() => Promise.all(Array.from({ length: TASKS }, task)));
    expect(longest).toBeLessThanOrEqual(3 * SLICE_MS);
  });

  it('serves all that wait in turn, and at least one', async () => {
    const slices = new Array<number>(TASKS).fill(0);
    let difference = 0;
    const task = async (_: unknown, nth: number) => {
      for (let slice = 0; slice < SLICES; slice += 1) {
        await nextTurn();
        slices[nth]! += 1;
        difference = Math.max(difference, Math.max(...slices) - Math.min(...slices));
        // Longer than a turn may last.
        now += 10 * SLICE_MS;
      }
    };
    await Promise.all(Array.from({ length: TASKS }, task));
    expect(slices).toEqual(new Array(TASKS).fill(SLICES));
    expect(difference).toBe(1);
  });

  it('serves one that waits even if callbacks of timers use up every turn', async () => {
    let isServed = false;
    void nextTurn().then(() => {
      isServed = true;
    });
    for (let turns = 0; turns < 4 && !isServed; turns += 1) {
      // Sockets and timers come before what waits.
      await new Promise((resolve) => setTimeout(resolve, 0));
      isTurnUsedUp();
      now += 10 * SLICE_MS;
    }
    await turnOfOthers();
    expect(isServed).toBe(true);
  });

  it('lets work go on without waiting while it has time', async () => {
    await nextTurn();
    expect(isTurnUsedUp()).toBe(false);
    now += SLICE_MS;
    expect(isTurnUsedUp()).toBe(false);
    now += SLICE_MS;
    expect(isTurnUsedUp()).toBe(true);
    await nextTurn();
    expect(isTurnUsedUp()).toBe(false);
  });
});
