import { expect, it } from 'vitest';
import { isSpotCoin, spotCoinOf } from './spot-coin.ts';

it('names a spot pair by its index, except for the first one', () => {
  const coins = [spotCoinOf({ index: 0, name: 'PURR/USDC' }), spotCoinOf({ index: 107, name: 'HYPE/USDC' })];
  expect(coins).toEqual(['PURR/USDC', '@107']);
  expect(coins.every(isSpotCoin)).toBe(true);
});
