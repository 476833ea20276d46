import { expect, it } from 'vitest';
import { snapshotsThatFit } from './accounts-fit.ts';
import { limitsOf, MINUTE_MS } from './declaration.ts';

const { weight } = limitsOf(MINUTE_MS);
const TWO_BUILDER_DEXES = ['x', 'y'];

it('as many accounts fit into ten minutes as their weight allows, with a node those whose mode does', () => {
  // 12 of 68 in 840 a minute; with a node 40 of 20 in 850, where the last one reserves 68; of 300 for busy clients 4 and 12.
  const countOf = (hasNode: boolean) =>
    (['idle', 'busy'] as const).map((clients) => snapshotsThatFit(weight, TWO_BUILDER_DEXES, hasNode, clients));
  expect([countOf(false), countOf(true)]).toEqual([
    [120, 40],
    [400, 120],
  ]);
  // Without what is lent to urgent ones: 8 and 27 in 600 a minute.
  const unhurried = [false, true].map((hasNode) =>
    snapshotsThatFit(weight, TWO_BUILDER_DEXES, hasNode, 'idle', { urgent: false }),
  );
  expect(unhurried).toEqual([80, 270]);
});

it('fewer accounts fit with more dexes, and into less time', () => {
  const nine = Array.from({ length: 9 }, (_, nth) => `dex${nth}`);
  expect(snapshotsThatFit(weight, nine, false, 'idle')).toBe(100);
  expect(snapshotsThatFit(weight, TWO_BUILDER_DEXES, false, 'idle', { ms: 5 * MINUTE_MS })).toBe(60);
});
