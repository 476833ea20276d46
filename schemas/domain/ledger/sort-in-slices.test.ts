import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortInSlices } from './sort-in-slices.ts';

/** Returns what the last slice returns, and how many slices there were. */
function run<T>(slices: Generator<undefined, T>): { sorted: T; count: number } {
  for (let count = 1; ; count += 1) {
    const { done, value } = slices.next();
    if (done) return { sorted: value, count };
  }
}

it('sorts like a list, equal elements in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (numbers, sliceSize) => {
      const list = numbers.map((number, at) => ({ number, at }));
      const compare = (a: { number: number }, b: { number: number }) => a.number - b.number;
      const { sorted } = run(sortInSlices(list, compare, sliceSize));
      expect(sorted).toEqual(list.toSorted(compare));
    }),
  );
});

it('compares only some elements in each slice', () => {
  const list = Array.from({ length: 1_000 }, (_, at) => (at * 7_919) % 1_000);
  let compared = 0;
  let most = 0;
  const slices = sortInSlices(
    list,
    (a, b) => {
      compared += 1;
      return a - b;
    },
    10,
  );
  for (let done = false; !done; compared = 0) {
    done = slices.next().done === true;
    most = Math.max(most, compared);
  }
  expect(most).toBeLessThan(100);
});
