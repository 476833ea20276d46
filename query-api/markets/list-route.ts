import { z } from 'zod';
import { defineRoute, type Route } from '../routes/route.ts';
import { checkWithin, type Family } from './family.ts';
import { listDeclaration } from './family-route.ts';

/** The route that lists the markets of a family. */
export function listRoute(family: Family): Route {
  const { noun, row, all, isListed } = family;
  const field = `${noun}s`;
  return defineRoute({
    ...listDeclaration(family),
    cacheTtlMs: 60_000,
    // The list is empty until the first catalog is received, which may happen any moment.
    isCacheable: (body) => body[field]!.length > 0,
    summary: `Lists the ${field}, without delisted ones.`,
    query: z.object({}),
    response: z.object({ [field]: z.array(row.shape).describe("In the venue's order.") }),
    handle({ params }, { views }) {
      const coins = views.coins.venue_a;
      checkWithin(family, coins, params);
      const listed = [...all(coins, params)].filter((instrument) => isListed(coins, instrument));
      return { [field]: listed.sort((a, b) => a.index - b.index).map(row.of) };
    },
  });
}
