import { z } from 'zod';
import { type Book, bestLevels, type Level } from '#schemas/domain/book';
import { toNumber } from '#schemas/domain/decimal';
import { clampedInteger } from '#schemas/http/parameters';
import { type Dependencies, defineRoute, producedAt, type Route } from '../routes/route.ts';
import { fetchBook, requestBook } from '../upstream/read-book.ts';
import { bookOf } from '../views/books.ts';
import { findListed, type TradedFamily } from './family.ts';
import { marketDeclaration } from './family-route.ts';

const toLevel = ({ price, size }: Level) => ({ price: toNumber(price), size: toNumber(size) });

/** A book is served for this long from its receipt, ms (contract, Order books). */
const LIFETIME_MS = 2_000;

/** A book, and when it was received or fetched, unix ms on this machine's clock; null for a book of a recording. */
interface ServedBook {
  readonly book: Book;
  readonly ts: number;
  readonly at: number | null;
}

/** Returns the received book if it is recent or of a recording, else fetches the book. */
async function findBook({ views, ingest }: Pick<Dependencies, 'views' | 'ingest'>, coin: string): Promise<ServedBook> {
  const { books, freshness } = views;
  const received = bookOf(books.venue_a, coin);
  if (received && !freshness.isLive()) return { ...received, at: null };
  requestBook(ingest, coin);
  const now = freshness.now();
  const ageMs = received && now !== null ? Math.max(0, now - received.receivedAt) : LIFETIME_MS;
  if (received && ageMs < LIFETIME_MS) return { ...received, at: Date.now() - ageMs };
  const { fetchedAt, ...fetched } = await fetchBook(ingest, coin);
  return { ...fetched, at: freshness.isLive() ? fetchedAt : null };
}

/** The route with the newest book of a market. */
export function orderbookRoute(family: TradedFamily): Route {
  const { noun, label, units } = family;
  const level = z.object({
    price: z.number().describe(`Price, ${units.price}.`),
    size: z.number().describe(`Size, ${units.size}.`),
  });
  return defineRoute({
    ...marketDeclaration(family, '/orderbook'),
    cacheTtlMs: LIFETIME_MS,
    summary: `The newest book of one ${noun}, best first.`,
    query: z.object({ depth: clampedInteger({ min: 1, max: 100, fallback: 20 }) }),
    response: z.object({
      [label.field]: z.string().describe(`The ${label.field}.`),
      bids: z.array(level).describe('Best first.'),
      asks: z.array(level).describe('Best first.'),
      ts: z.number().int().describe("The venue's time, unix ms."),
    }),
    async handle({ params, query }, dependencies) {
      const instrument = findListed(family, dependencies.views.coins.venue_a, params);
      const { book, ts, at } = await findBook(dependencies, instrument.coin);
      const { bids, asks } = bestLevels(book, query.depth);
      const body = { [label.field]: label.of(instrument), bids: bids.map(toLevel), asks: asks.map(toLevel), ts };
      return producedAt(at, body);
    },
  });
}
