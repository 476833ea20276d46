import { z } from 'zod';
import { bestLevels, type Level } from '#schemas/domain/book';
import { toNumber } from '#schemas/domain/decimal';
import { clampedInteger } from '#schemas/http/parameters';
import { defineRoute, type Route } from '../routes/route.ts';
import { bookOf } from '../views/books.ts';
import { type Family, findListed, noDataReceived } from './family.ts';
import { marketDeclaration } from './family-route.ts';

const toLevel = ({ price, size }: Level) => ({ price: toNumber(price), size: toNumber(size) });

/** The route with the newest book of a market. */
export function orderbookRoute(family: Family): Route {
  const { noun, label, units } = family;
  const level = z.object({
    price: z.number().describe(`Price, ${units.price}.`),
    size: z.number().describe(`Size, ${units.size}.`),
  });
  return defineRoute({
    ...marketDeclaration(family, '/orderbook'),
    cacheTtlMs: 2_000,
    summary: `The newest book of a ${noun}, best first.`,
    query: z.object({ depth: clampedInteger({ min: 1, max: 100, fallback: 20 }) }),
    response: z.object({
      [label.field]: z.string().describe(`The ${label.field}.`),
      bids: z.array(level).describe('Best first.'),
      asks: z.array(level).describe('Best first.'),
      ts: z.number().int().describe("The venue's time, unix ms."),
    }),
    handle({ params, query }, { views }) {
      const instrument = findListed(family, views.coins.venue_a, params);
      const { coin } = instrument;
      const entry = bookOf(views.books.venue_a, coin);
      // A book that was never received is unknown, not empty.
      if (!entry) throw noDataReceived(instrument, `no book of ${coin} has been received from the venue yet`);
      const { bids, asks } = bestLevels(entry.book, query.depth);
      return { [label.field]: label.of(instrument), bids: bids.map(toLevel), asks: asks.map(toLevel), ts: entry.ts };
    },
  });
}
