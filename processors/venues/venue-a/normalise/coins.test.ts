import { describe, expect, it } from 'vitest';
import { marketOf, providerOf } from '#schemas/venues/venue-a/coin-market';
import { outcomeCoin, parseOutcomeCoin } from './coins.ts';

describe('a coin', () => {
  it.each([
    ['BTC', 'venue_a_perp'],
    ['kPEPE', 'venue_a_perp'],
    ['PURR/USDC', 'venue_a_perp'],
    ['@107', 'venue_a_perp'],
    ['abc:GOLD', 'venue_a_dex'],
    ['#0', 'venue_a_outcome'],
    ['#1231', 'venue_a_outcome'],
  ])('%s belongs to %s', (coin, provider) => {
    expect(providerOf(coin)).toBe(provider);
  });

  it.each([
    ['BTC', 'BTC'],
    ['@1', '@1'],
    ['abc:X1', 'abc:X1'],
    ['#0', '#0'],
    ['#1', '#0'],
    ['#11', '#10'],
    ['#1230', '#1230'],
    ['#1231', '#1230'],
  ])('%s belongs to the market %s', (coin, market) => {
    expect(marketOf(coin)).toBe(market);
  });

  it.each([
    [0, 0],
    [0, 1],
    [123, 1],
  ] as const)('of outcome %s side %s reads back', (outcome, side) => {
    expect(parseOutcomeCoin(outcomeCoin(outcome, side))).toEqual({ outcome, side });
  });

  it.each(['BTC', '#', '#2', '#12x', '+10', '#-10'])('%s is not the side of an outcome', (coin) => {
    expect(parseOutcomeCoin(coin)).toBeNull();
  });
});
