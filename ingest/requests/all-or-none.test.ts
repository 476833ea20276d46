import { expect, it } from 'vitest';
import { allOrNone } from './all-or-none.ts';

const { signal } = new AbortController();

it('resolves with all results in order', async () => {
  expect(await allOrNone([async () => 1, async () => 2], signal)).toEqual([1, 2]);
});

it('aborts the others when a task fails, waits for their end, and rejects with its error', async () => {
  let ended = false;
  const other = (until: AbortSignal) =>
    new Promise<never>((_, reject) => {
      until.addEventListener('abort', () => {
        ended = true;
        reject(until.reason);
      });
    });
  const failing = async () => Promise.reject(new Error('first'));
  await expect(allOrNone<never>([other, failing], signal)).rejects.toThrow('first');
  expect(ended).toBe(true);
});
