import { z } from 'zod';
import { defineRoute, producedAt, type Route } from '../routes/route.ts';
import { checkWithin, type Family } from './family.ts';
import { listDeclaration } from './family-route.ts';

/** The route that lists the markets of a family. */
export function listRoute(family: Family): Route {
  const { plural, row, all, isListed, isReceived } = family;
  return defineRoute({
    ...listDeclaration(family),
    cacheTtlMs: 60_000,
    summary: `Lists the ${plural}, without delisted ones.`,
    query: z.object({}),
    response: z.object({ [plural]: z.array(row.shape).describe("In the venue's order.") }),
    handle({ params }, { views }) {
      const coins = views.coins.venue_a;
      checkWithin(family, coins, params);
      const listed = [...all(coins, params)].filter((instrument) => isListed(coins, instrument));
      const body = { [plural]: listed.sort((a, b) => a.index - b.index).map(row.of) };
      // The first list may be received any moment, so that this response is too old for a cache.
      return isReceived(coins) ? body : producedAt(0, body);
    },
  });
}
