import { expect, it } from 'vitest';
import { makeCoins } from './coins.ts';

it('gives each of a thousand coins a name of its own, which does not depend on their number', () => {
  const symbols = makeCoins(1, 1_000).map(({ symbol }) => symbol);
  expect(new Set(symbols).size).toBe(1_000);
  expect(symbols.filter((symbol) => !/^[A-Za-z0-9]{1,20}$/.test(symbol))).toEqual([]);
  expect(makeCoins(1, 50).map(({ symbol }) => symbol)).toEqual(symbols.slice(0, 50));
});
