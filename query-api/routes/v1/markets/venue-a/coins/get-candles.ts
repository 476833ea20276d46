import { z } from 'zod';
import { INTERVALS, type Interval } from '#schemas/domain/candles/sources';
import { ApiError } from '#schemas/errors';
import { clampedInteger, timeParameter } from '#schemas/http/parameters';
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
  query: z.object({
    interval: z
      .enum(Object.keys(INTERVALS) as [Interval, ...Interval[]])
      .default('1h')
      .describe('Length of a bar; default 1h.'),
    limit: clampedInteger({ min: 1, max: 5_000, fallback: 100 }),
    start_time: timeParameter.describe('Start of the window, inclusive; unix ms or ISO-8601.').optional(),
    end_time: timeParameter.describe('End of the window, exclusive; unix ms or ISO-8601.').optional(),
  }),
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
    const { interval, limit, start_time: start = null, end_time: end = null } = query;
    if (start !== null && end !== null && start >= end)
      throw new ApiError('validation_failed', 'start_time: must be before end_time');
    const bars = await readCandles(store, { provider, coin }, { interval, limit, start, end }, views.freshness.now());
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
