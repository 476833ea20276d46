import { z } from 'zod';
import { candleQuery, windowOf } from '#schemas/http/candle-query';
import { fetchedAtHeader, fetchedAtOf } from '../routes/fetched-at.ts';
import { CustomResponse, defineRoute, type Route } from '../routes/route.ts';
import { readCompleteCandles } from './complete-candles.ts';
import { type Family, findRecorded } from './family.ts';
import { marketDeclaration } from './family-route.ts';

/** A response is cached for this long, ms; one with the venue's bar in progress since that was received. */
const LIFETIME_MS = 30_000;

const SOURCE = z.string().nullable().describe('Where its minutes come from; null if they are complete in none.');

const FETCHED_AT =
  'How old the bars are: when the source of the newest one responded, if its minutes are not all our own; otherwise the ' +
  'time up to which everything behind our own bars is processed, so that one that ends later may still change.';

/** The route with the bars of a market. */
export function candlesRoute(family: Family): Route {
  const { noun, units, hasCandleSource } = family;
  return defineRoute({
    ...marketDeclaration(family, '/candles'),
    cacheTtlMs: LIFETIME_MS,
    summary: `Bars of one ${noun}, oldest first, including the one in progress.`,
    ownHeaders: fetchedAtHeader(FETCHED_AT),
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
    async handle({ params, query }, dependencies) {
      const coins = dependencies.views.coins.venue_a;
      const instrument = findRecorded(family, coins, params);
      const { coin, provider } = instrument;
      const market = { provider, coin, isListed: family.isListed(coins, instrument) };
      const { candles, formingAt, fetchedAt } = await readCompleteCandles(dependencies, market, windowOf(query));
      const body = { candles: candles.toJson(hasCandleSource) };
      return new CustomResponse(200, body, fetchedAtOf(fetchedAt), formingAt);
    },
  });
}
