import { z } from 'zod';
import { defineRoute, type Route } from '../routes/route.ts';
import { type Family, findListed, noDataReceived } from './family.ts';
import { marketDeclaration } from './family-route.ts';

/** The route with the newest figures of a market. */
export function snapshotRoute(family: Family): Route {
  const { noun, snapshot } = family;
  return defineRoute({
    ...marketDeclaration(family, ''),
    cacheTtlMs: 5_000,
    summary: `The newest figures of one ${noun}.`,
    query: z.object({}),
    response: snapshot.shape,
    handle({ params }, { views }) {
      const coins = views.coins.venue_a;
      const instrument = findListed(family, coins, params);
      const context = coins.contexts.get(instrument.coin);
      if (!context) throw noDataReceived(`no figures of ${instrument.coin} have been received from the venue yet`);
      return snapshot.of(instrument, context);
    },
  });
}
