import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chainFills } from './chain.ts';
import { decimal, fill } from './ledger.fixture.ts';

/** Fills of one millisecond as [tie, start, quantity], in any order. */
const fillsOf = (...rows: [number, string | number, string | number][]) =>
  rows.map(([tie, start, qty]) => fill(1, 'C', qty, 1, { id: `${tie}`, tie, start })).sort((a, b) => a.tie - b.tie);

/** Returns the order, and in how many slices it was found. */
function chained(...terms: Parameters<typeof chainFills>) {
  const chaining = chainFills(...terms);
  for (let slices = 1; ; slices += 1) {
    const { done, value } = chaining.next();
    if (done) return { ordered: value, slices };
  }
}

const orderOf = (position: number, ...rows: [number, string | number, string | number][]) =>
  chained(fillsOf(...rows), decimal(position)).ordered.map(({ tie }) => tie);

it('fills follow the order in which each begins at the position after the one before', () => {
  expect(orderOf(0, [3, 0, 5], [1, 5, 2], [2, 7, -9], [4, -2, 1])).toEqual([3, 1, 2, 4]);
  expect(orderOf(0, [1, '986.52459550', 16], [2, 0, '986.52459552'])).toEqual([2, 1]);
});

it('fills that a position allows in several orders follow their ties, unless that would break the chain', () => {
  expect(orderOf(0, [1, 1, -1], [2, 0, 1], [3, 0, 1], [4, 1, -1])).toEqual([2, 1, 3, 4]);
  expect(orderOf(0, [1, 0, 2], [2, 0, 1], [3, 1, -1])).toEqual([2, 3, 1]);
});

it('a chain that begins elsewhere begins where no other fill ends', () => {
  expect(orderOf(100, [1, 1, 1], [2, 0, 1], [3, 9, 1], [4, 8, 1])).toEqual([2, 1, 4, 3]);
});

it('fills that end where they begin start at the position before them', () => {
  expect(orderOf(6, [1, 5, 1], [2, 6, -1])).toEqual([2, 1]);
  expect(orderOf(5, [2, 6, -1], [1, 5, 1])).toEqual([1, 2]);
});

it('a break among many fills is found in slices, none of which compares all of them with each other', () => {
  // The chain begins with the highest tie, so that all others are tried before.
  const count = 300;
  const rows = Array.from({ length: count }, (_, at): [number, number, number] => [count - at, at, 1]);
  const { ordered, slices } = chained(fillsOf(...rows), decimal(-50));
  expect(ordered.map(({ tie }) => tie)).toEqual(rows.map(([tie]) => tie));
  expect(slices).toBeGreaterThan(count ** 2 / 10_300);
});

it('a chain of a true sequence never breaks, whatever the ties', () => {
  const steps = fc.array(
    fc.tuple(
      fc.integer({ min: -3, max: 3 }).filter((qty) => qty !== 0),
      fc.nat(),
    ),
    {
      minLength: 1,
      maxLength: 40,
    },
  );
  fc.assert(
    fc.property(steps, fc.integer({ min: -3, max: 3 }), (rows, first) => {
      let position = first;
      const fills = rows.map(([qty, tie], at) => {
        const made = fill(1, 'C', qty, 1, { id: `${at}`, tie, start: position });
        position += qty;
        return made;
      });
      fills.sort((a, b) => a.tie - b.tie);
      let expected = decimal(first) as bigint;
      for (const { startPosition, qty } of chained(fills, decimal(first)).ordered) {
        expect(startPosition).toBe(expected);
        expected += qty;
      }
    }),
    { numRuns: 500 },
  );
});
