import { z } from 'zod';
import { defineRoute } from '../../../../route.ts';
import { isListedCoin } from './coin.ts';

export const getCoins = defineRoute({
  method: 'GET',
  path: '/v1/markets/venue_a/coins',
  scope: 'read',
  sku: 'markets.read',
  cacheTtlMs: 60_000,
  // The list is empty until the first catalog is received, which may happen any moment.
  isCacheable: ({ coins }) => coins.length > 0,
  summary: 'Lists the perpetual coins of the main dex.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    coins: z
      .array(
        z.object({
          name: z.string().describe('The coin.'),
          sizeDecimals: z.number().int().describe('Decimals of its sizes.'),
          maxLeverage: z.number().int().nullable().describe('The largest leverage; null where the venue states none.'),
        }),
      )
      .describe("In the venue's order."),
  }),
  handle(_input, { views }) {
    const coins = [...views.coins.venue_a.instruments.values()]
      .filter(isListedCoin)
      .sort((a, b) => a.index - b.index)
      .map(({ coin, sizeDecimals, maxLeverage }) => ({ name: coin, sizeDecimals, maxLeverage }));
    return { coins };
  },
});
