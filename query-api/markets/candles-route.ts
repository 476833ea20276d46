import { z } from 'zod';
import { candleQuery, windowOf } from '#schemas/http/candle-query';
import { isoTime } from '#schemas/http/scalars';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { candleRangeTopic } from '#schemas/topics/candles';
import { JsonRows } from '../http/json-rows.ts';
import { figuresJson } from '../queries/read-candles.ts';
import { CustomResponse, defineRoute, type Route } from '../routes/route.ts';
import type { Freshness } from '../views/freshness.ts';
import { readCompleteCandles } from './complete-candles.ts';
import { type Family, findRecorded } from './family.ts';
import { marketDeclaration } from './family-route.ts';

/** A response is cached for this long, ms; one with the venue's bar in progress since that was received. */
const LIFETIME_MS = 30_000;

const SOURCE = z.string().nullable().describe('Where its minutes come from; null if they are complete in none.');

const FETCHED_AT =
  'The time up to which everything behind our own bars is processed, ISO-8601: one that ends later may still change. ' +
  'Missing while it is unknown.';

/** The route with the bars of a market. */
export function candlesRoute(family: Family): Route {
  const { noun, units, hasCandleSource } = family;
  return defineRoute({
    ...marketDeclaration(family, '/candles'),
    cacheTtlMs: LIFETIME_MS,
    summary: `Bars of one ${noun}, oldest first, including the one in progress.`,
    ownHeaders: { 'X-Fetched-At': FETCHED_AT },
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
      const { coin, provider } = findRecorded(family, dependencies.views.coins.venue_a, params);
      const processedUntil = await candlesUntil(dependencies.views.freshness);
      const { candles, at } = await readCompleteCandles(dependencies, { provider, coin }, windowOf(query));
      const rows = candles.map((candle) => {
        const source = hasCandleSource ? `,"source":${JSON.stringify(candle.source)}` : '';
        return `{"ts":${candle.ts},${figuresJson(candle)}${source}}`;
      });
      const headers = processedUntil === null ? [] : ['x-fetched-at', isoTime(processedUntil)];
      return new CustomResponse(200, { candles: new JsonRows(rows) }, headers, at);
    },
  });
}

/** Event time, unix ms, up to which the tables hold all bars of trades; null if it is unknown. */
async function candlesUntil(freshness: Freshness): Promise<number | null> {
  const asOf = freshness.asOf(candleRangeTopic);
  return asOf === null ? null : freshness.tablesAsOf(candleBarsTable.fromTopics, asOf);
}
