import { z } from 'zod';
import { defineRoute } from '../../../../route.ts';

export const getPerpDexes = defineRoute({
  method: 'GET',
  path: '/v1/markets/venue_a/perp-dex',
  scope: 'read',
  sku: 'markets.read',
  cacheTtlMs: 300_000,
  // The list is empty until the first one is received, which may happen any moment.
  isCacheable: ({ dexes }) => dexes.length > 0,
  summary: 'Lists the dexes of builders, also those without contracts.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    dexes: z
      .array(
        z.object({
          name: z.string().describe('Its name, with which the coins of its contracts begin.'),
          fullName: z.string().nullable().describe('Its full name; null where the venue states none.'),
          deployer: z.string().nullable().describe('Address of its deployer; null where the venue states none.'),
        }),
      )
      .describe("In the venue's order."),
  }),
  handle(_input, { views }) {
    const dexes = [...views.coins.venue_a.perpDexes.values()]
      .filter(({ delisted }) => !delisted)
      .sort((a, b) => a.index - b.index)
      .map(({ name, fullName, deployer }) => ({ name, fullName, deployer }));
    return { dexes };
  },
});
