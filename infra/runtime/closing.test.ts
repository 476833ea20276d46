import { describe, expect, it } from 'vitest';
import { closeAll, closeInReverse } from './closing.ts';

describe('closing', () => {
  it('in reverse runs every step and throws the first error', async () => {
    const closed: number[] = [];
    const step = (nth: number) => async () => {
      closed.push(nth);
      if (nth > 1) throw new Error(`fault of ${nth}`);
    };
    await expect(closeInReverse([step(1), step(2), step(3)])).rejects.toThrow('fault of 3');
    expect(closed).toEqual([3, 2, 1]);
  });

  it('of all parts waits for each of them and throws the first error', async () => {
    let isClosed = false;
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isClosed = true;
    };
    const failing = () => Promise.reject(new Error('fault'));
    await expect(closeAll([{ close: failing }, { close: slow }])).rejects.toThrow('fault');
    expect(isClosed).toBe(true);
  });
});
