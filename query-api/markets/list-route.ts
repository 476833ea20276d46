import { z } from 'zod';
import { defineRoute, type Route } from '../routes/route.ts';
import { checkWithin, type Family } from './family.ts';
import { listDeclaration } from './family-route.ts';

/** The route that lists the markets of a family. */
export function listRoute(family: Family): Route {
  const { plural, row, all, isListed } = family;
  return defineRoute({
    ...listDeclaration(family),
    cacheTtlMs: 60_000,
    // The list is empty until the first catalog is received, which may happen any moment.
    isCacheable: (body) => body[plural]!.length > 0,
    summary: `Lists the ${plural}, without delisted ones.`,
    query: z.object({}),
    response: z.object({ [plural]: z.array(row.shape).describe("In the venue's order.") }),
    handle({ params }, { views }) {
      const coins = views.coins.venue_a;
      checkWithin(family, coins, params);
      const listed = [...all(coins, params)].filter((instrument) => isListed(coins, instrument));
      return { [plural]: listed.sort((a, b) => a.index - b.index).map(row.of) };
    },
  });
}
