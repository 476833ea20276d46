import { describe, expect, it } from 'vitest';
import { closeInReverse, closeTogether } from './closing.ts';

describe('closing', () => {
  it('in reverse goes through all, and tells the first fault', async () => {
    const closed: number[] = [];
    const step = (nth: number) => async () => {
      closed.push(nth);
      if (nth > 1) throw new Error(`fault of ${nth}`);
    };
    await expect(closeInReverse([step(1), step(2), step(3)])).rejects.toThrow('fault of 3');
    expect(closed).toEqual([3, 2, 1]);
  });

  it('together waits for all, and tells the first fault', async () => {
    let ended = false;
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      ended = true;
    };
    const faulty = () => Promise.reject(new Error('fault'));
    await expect(closeTogether([{ close: faulty }, { close: slow }])).rejects.toThrow('fault');
    expect(ended).toBe(true);
  });
});
