import { beforeEach, expect, it } from 'vitest';
import { FigureCache } from './figure-cache.ts';

let now: number;
let reads: string[][];
let cache: FigureCache<string>;
beforeEach(() => {
  now = 1;
  reads = [];
  cache = new FigureCache({ lifetimeMs: 30_000, entriesMax: 3, now: () => now });
});
const get = (keys: string[], isReusable?: (figure: string) => boolean) =>
  cache.getAll(
    keys,
    async (missing) => {
      reads.push([...missing]);
      return missing.map((key) => `${key}${now}`);
    },
    isReusable,
  );

it('reads what is missing at once, each key once, and returns the figures in the order of the keys', async () => {
  expect(await get(['a', 'b', 'a'])).toEqual(['a1', 'b1', 'a1']);
  now = 30_000;
  expect(await get(['c', 'a'])).toEqual(['c30000', 'a1']);
  expect(reads).toEqual([['a', 'b'], ['c']]);
  now = 30_002;
  expect(await get(['a'])).toEqual(['a30002']);
});

it('requests at the same time share a read and its error, which is not cached', async () => {
  expect(await Promise.all([get(['a']), get(['b', 'a'])])).toEqual([['a1'], ['b1', 'a1']]);
  expect(reads).toEqual([['a'], ['b']]);
  const fail = () => cache.getAll(['x'], async () => Promise.reject(new Error('down')));
  const results = await Promise.allSettled([fail(), get(['x'])]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await get(['x'])).toEqual(['x1']);
});

it('a figure that is not reusable is read again', async () => {
  await get(['a', 'b'], (figure) => figure !== 'a1');
  await get(['a', 'b']);
  expect(reads).toEqual([['a', 'b'], ['a']]);
});

it('returns more figures than it can hold', async () => {
  expect(await get(['a', 'b', 'c', 'd'])).toEqual(['a1', 'b1', 'c1', 'd1']);
});
