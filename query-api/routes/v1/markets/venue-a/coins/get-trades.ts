import { z } from 'zod';
import { clampedInteger } from '#schemas/http/parameters';
import { decimalNumber } from '#schemas/http/scalars';
import { readTrades } from '../../../../../queries/read-trades.ts';
import { defineRoute } from '../../../../route.ts';
import { coinPath, findCoin } from './coin.ts';

export const getCoinTrades = defineRoute({
  method: 'GET',
  path: '/v1/markets/venue_a/coins/:coin/trades',
  scope: 'read',
  sku: 'markets.read',
  cacheTtlMs: 5_000,
  summary: 'Trades of a coin, newest first; side buy means that the taker bought.',
  params: coinPath,
  query: z.object({ limit: clampedInteger({ min: 1, max: 200, fallback: 50 }) }),
  response: z.object({
    trades: z
      .array(
        z.object({
          coin: z.string().describe('The coin.'),
          price: z.number().describe('USD.'),
          size: z.number().describe('Coins.'),
          side: z.enum(['buy', 'sell']).describe('The side of the taker.'),
          ts: z.number().int().describe("The venue's time, unix ms."),
          txHash: z.string().nullable().describe('Hash of the transaction; null where there is none.'),
        }),
      )
      .describe('Newest first.'),
  }),
  async handle({ params, query }, { views, store }) {
    const { coin, provider } = findCoin(views.coins.venue_a, params.coin);
    const trades = await readTrades(store, {
      instruments: [{ provider, instrument: coin }],
      limit: query.limit,
      until: null,
    });
    return {
      trades: trades.map(({ price, qty, side, ts, txHash }) => ({
        coin,
        price: decimalNumber(price),
        size: decimalNumber(qty),
        side,
        ts,
        txHash,
      })),
    };
  },
});
