import { expect, it } from 'vitest';
import { addPart, createAcquiredParts, forgetOldParts } from './acquired-parts.ts';

it('gathers the newest response of each kind within 60 s, for each account', () => {
  const parts = createAcquiredParts<number>();
  addPart(parts, 'a', 'mode', 1, 1_000);
  addPart(parts, 'b', 'mode', 9, 1_000);
  expect([...addPart(parts, 'a', 'spot', 2, 61_000)]).toEqual([
    ['mode', 1],
    ['spot', 2],
  ]);
  expect([...addPart(parts, 'a', 'spot', 3, 61_001)]).toEqual([['spot', 3]]);
});

it('forgets the responses of an acquisition that was never completed', () => {
  const parts = createAcquiredParts<number>();
  addPart(parts, 'a', 'mode', 1, 1_000);
  addPart(parts, 'b', 'mode', 1, 40_000);
  forgetOldParts(parts, 61_001);
  expect([...parts.keys()]).toEqual(['b']);
});
