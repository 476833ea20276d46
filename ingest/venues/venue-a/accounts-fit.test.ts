import { expect, it } from 'vitest';
import { snapshotsThatFit } from './accounts-fit.ts';
import { limitsOf, MINUTE_MS } from './declaration.ts';

const { weight } = limitsOf(MINUTE_MS);
const TWO_BUILDER_DEXES = ['x', 'y'];

it('as many accounts fit into ten minutes as their weight allows, with a node those whose mode does', () => {
  // 8 of 68 in 600 a minute; with a node 27 of 20, where the last one reserves 68; of 300 for busy clients 4 and 12.
  const countOf = (hasNode: boolean) =>
    (['idle', 'busy'] as const).map((clients) => snapshotsThatFit(weight, TWO_BUILDER_DEXES, hasNode, clients));
  expect([countOf(false), countOf(true)]).toEqual([
    [80, 40],
    [270, 120],
  ]);
});

it('fewer accounts fit with more dexes, and into less time', () => {
  const nine = Array.from({ length: 9 }, (_, nth) => `dex${nth}`);
  expect(snapshotsThatFit(weight, nine, false, 'idle')).toBe(70);
  expect(snapshotsThatFit(weight, TWO_BUILDER_DEXES, false, 'idle', 5 * MINUTE_MS)).toBe(40);
});
