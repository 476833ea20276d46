import { z } from 'zod';
import { defineRoute } from '../../../../route.ts';
import { isListedCoin } from './coin.ts';

export const getCoins = defineRoute({
  method: 'GET',
  path: '/v1/markets/venue_a/coins',
  scope: 'read',
  sku: 'markets.read',
  cacheTtlMs: 60_000,
  // Before the first catalog has come there are none, and that may change any moment.
  isKept: ({ coins }) => coins.length > 0,
  summary: 'Perpetual coins of the main dex that are listed.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    coins: z.array(
      z.object({ name: z.string(), sizeDecimals: z.number().int(), maxLeverage: z.number().int().nullable() }),
    ),
  }),
  handle(_input, { views }) {
    const coins = [...views.coins.instruments.values()]
      .filter(isListedCoin)
      .sort((a, b) => a.index - b.index)
      .map(({ coin, sizeDecimals, maxLeverage }) => ({ name: coin, sizeDecimals, maxLeverage }));
    return { coins };
  },
});
