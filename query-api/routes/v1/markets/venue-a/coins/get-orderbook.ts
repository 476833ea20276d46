import { z } from 'zod';
import { bestLevels, type Level } from '#schemas/domain/book';
import { toNumber } from '#schemas/domain/decimal';
import { clampedInteger } from '#schemas/http/parameters';
import { bookOf } from '../../../../../views/books.ts';
import { defineRoute } from '../../../../route.ts';
import { coinPath, findCoin, noDataReceived } from './coin.ts';

const level = z.object({ price: z.number().describe('USD.'), size: z.number().describe('Coins.') });
const toLevel = ({ price, size }: Level) => ({ price: toNumber(price), size: toNumber(size) });

export const getOrderbook = defineRoute({
  method: 'GET',
  path: '/v1/markets/venue_a/coins/:coin/orderbook',
  scope: 'read',
  sku: 'markets.read',
  cacheTtlMs: 2_000,
  summary: 'The newest book of a coin, best first.',
  params: coinPath,
  query: z.object({ depth: clampedInteger({ min: 1, max: 100, fallback: 20 }) }),
  response: z.object({
    coin: z.string().describe('The coin.'),
    bids: z.array(level).describe('Best first.'),
    asks: z.array(level).describe('Best first.'),
    ts: z.number().int().describe("The venue's time, unix ms."),
  }),
  handle({ params, query }, { views }) {
    const instrument = findCoin(views.coins.venue_a, params.coin);
    const { coin } = instrument;
    const entry = bookOf(views.books.venue_a, coin);
    // A book that was never received is unknown, not empty.
    if (!entry) throw noDataReceived(instrument, `no book of ${coin} has been received from the venue yet`);
    const { bids, asks } = bestLevels(entry.book, query.depth);
    return { coin, bids: bids.map(toLevel), asks: asks.map(toLevel), ts: entry.ts };
  },
});
