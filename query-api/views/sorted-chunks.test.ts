import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHUNK_MAX, extractSorted, putSorted, removeSorted, type SortedChunks } from './sorted-chunks.ts';

interface Item {
  readonly at: number;
  readonly text: string;
}

const compare = (a: Item, b: Item) => a.at - b.at;

/** Random operations with many equal items, on a list of several chunks. */
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('put' as const), at: fc.integer({ min: 0, max: 4_000 }) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('remove' as const), at: fc.integer({ min: 0, max: 4_000 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('extract' as const), at: fc.integer({ min: 2, max: 9 }) }) },
);

it('has the same content as a plain sorted array after every operation', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 3 * CHUNK_MAX }),
      fc.constantFrom(1, -1, 1_201),
      fc.array(operation, { maxLength: 60 }),
      (filled, step, operations) => {
        const chunks: SortedChunks<Item> = [];
        const expected = new Map<number, Item>();
        const put = (at: number, text: string) => {
          putSorted(chunks, { at, text }, compare);
          expected.set(at, { at, text });
        };
        // In ascending, descending and scattered order.
        for (let count = 0; count < filled; count += 1) put((((count * step) % 4_001) + 4_001) % 4_001, 'filled');
        operations.forEach(({ does, at }, number) => {
          if (does === 'put') put(at, `put ${number}`);
          else if (does === 'remove') {
            removeSorted(chunks, { at, text: '' }, compare);
            expected.delete(at);
          } else {
            const predicate = (item: Item) => item.at % at === 0;
            const extracted = [...expected.values()].filter(predicate).sort(compare);
            expect(extractSorted(chunks, predicate)).toEqual(extracted);
            for (const item of extracted) expected.delete(item.at);
          }
          expect(chunks.flat()).toEqual([...expected.values()].sort(compare));
          expect(chunks.every((chunk) => chunk.length > 0 && chunk.length <= CHUNK_MAX)).toBe(true);
        });
      },
    ),
    { numRuns: 60 },
  );
});
