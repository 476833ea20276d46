import { z } from 'zod';
import { candleQuery, windowOf } from '#schemas/http/candle-query';
import { decimalNumber } from '#schemas/http/scalars';
import { readCandles } from '../queries/read-candles.ts';
import { defineRoute, type Route } from '../routes/route.ts';
import { type Family, findRecorded } from './family.ts';
import { marketDeclaration } from './family-route.ts';

const SOURCE = z.string().nullable().describe('Where its minutes come from; null if they are complete in none.');

/** The route with the bars of a market. */
export function candlesRoute(family: Family): Route {
  const { noun, units, hasCandleSource } = family;
  return defineRoute({
    ...marketDeclaration(family, '/candles'),
    cacheTtlMs: 30_000,
    summary: `Bars of a ${noun}, oldest first, including the one in progress.`,
    query: candleQuery,
    response: z.object({
      candles: z
        .array(
          z.object({
            ts: z.number().int().describe('Start of the bar, unix ms.'),
            open: z.number().describe(`First price, ${units.price}.`),
            high: z.number().describe('Highest price.'),
            low: z.number().describe('Lowest price.'),
            close: z.number().describe('Last price.'),
            volume: z.number().describe(`Volume, ${units.size}.`),
            ...(hasCandleSource ? { source: SOURCE } : {}),
          }),
        )
        .describe('Oldest first.'),
    }),
    async handle({ params, query }, { views, store }) {
      const { coin, provider } = findRecorded(family, views.coins.venue_a, params);
      const bars = await readCandles(store, { provider, coin }, windowOf(query), views.freshness.now());
      return {
        candles: bars.map(({ ts, open, high, low, close, volume, source }) => ({
          ts,
          open: decimalNumber(open),
          high: decimalNumber(high),
          low: decimalNumber(low),
          close: decimalNumber(close),
          volume: decimalNumber(volume),
          ...(hasCandleSource ? { source } : {}),
        })),
      };
    },
  });
}
