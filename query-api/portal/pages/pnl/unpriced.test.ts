import { expect, test } from 'vitest';
import type { Leg } from './shapes.ts';
import { unpricedOf } from './unpriced.ts';

const LEG: Leg = {
  provider: 'venue_b',
  marketId: '0x1',
  tokenId: '7',
  outcome: 'Yes',
  realized: 0,
  unrealized: 1,
  openPosition: 5,
  avgCost: 0.3,
  currentPrice: 0.5,
  tradeCount: 1,
};

test('an open position without a mark is unpriced', () => {
  expect(unpricedOf({ legs: [LEG, { ...LEG, openPosition: -1, currentPrice: null, unrealized: null }] })).toBe(1);
});

test('a closed position needs no mark, and one whose lots have both signs has an unrealized figure', () => {
  expect(unpricedOf({ legs: [LEG, { ...LEG, openPosition: 0, currentPrice: null, unrealized: null }] })).toBe(0);
  expect(unpricedOf({ legs: [{ ...LEG, currentPrice: null }] })).toBe(0);
});

test('a row that states the number has no need of legs', () => {
  expect(unpricedOf({ unpriced: 3 })).toBe(3);
});
