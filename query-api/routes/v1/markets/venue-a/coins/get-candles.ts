import { z } from 'zod';
import { candleQuery, windowOf } from '#schemas/http/candle-query';
import { decimalNumber } from '#schemas/http/scalars';
import { readCandles } from '../../../../../queries/read-candles.ts';
import { defineRoute } from '../../../../route.ts';
import { coinPath, findCoin } from './coin.ts';

export const getCandles = defineRoute({
  method: 'GET',
  path: '/v1/markets/venue_a/coins/:coin/candles',
  scope: 'read',
  sku: 'markets.read',
  cacheTtlMs: 30_000,
  summary: 'Bars of a coin, oldest first, including the one in progress.',
  params: coinPath,
  query: candleQuery,
  response: z.object({
    candles: z
      .array(
        z.object({
          ts: z.number().int().describe('Start of the bar, unix ms.'),
          open: z.number().describe('First price, USD.'),
          high: z.number().describe('Highest price.'),
          low: z.number().describe('Lowest price.'),
          close: z.number().describe('Last price.'),
          volume: z.number().describe('Coins.'),
          source: z.string().nullable().describe('Where its minutes come from; null if they are complete in none.'),
        }),
      )
      .describe('Oldest first.'),
  }),
  async handle({ params, query }, { views, store }) {
    const { coin, provider } = findCoin(views.coins.venue_a, params.coin);
    const bars = await readCandles(store, { provider, coin }, windowOf(query), views.freshness.now());
    return {
      candles: bars.map(({ ts, open, high, low, close, volume, source }) => ({
        ts,
        open: decimalNumber(open),
        high: decimalNumber(high),
        low: decimalNumber(low),
        close: decimalNumber(close),
        volume: decimalNumber(volume),
        source,
      })),
    };
  },
});
