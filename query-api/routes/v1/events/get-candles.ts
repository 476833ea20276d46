import { z } from 'zod';
import { QUESTION_SELECTORS, selectsProvider } from '#schemas/domain/providers';
import { candleQuery, windowOf } from '#schemas/http/candle-query';
import { fetchedAtField, marketIdField, providerField, universalIdField } from '#schemas/http/fields';
import { isoTime } from '#schemas/http/scalars';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { candleRangeTopic } from '#schemas/topics/candles';
import { findEvent } from '../../../queries/find-event.ts';
import { readEventCandles } from '../../../queries/read-event-candles.ts';
import { chainBarsThrough } from '../../../views/followed-through.ts';
import { tablesUntil } from '../../../views/freshness.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getEventCandles = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/candles',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 30_000,
  isCacheable: ({ candles }) => candles.length > 0,
  summary: "Bars of all linked markets in the event's YES terms, oldest first.",
  params: eventPath,
  query: candleQuery.extend({
    provider: z
      .enum(QUESTION_SELECTORS)
      .optional()
      .describe('Only markets of this provider, or of all providers of this venue.'),
  }),
  response: z.object({
    universalId: universalIdField,
    candles: z
      .array(
        z.object({
          provider: providerField,
          marketId: marketIdField,
          ts: z.number().int().describe('Start of the bar, unix ms.'),
          open: z.number().describe("Price of the first trade, in the event's YES terms."),
          high: z.number().describe('Highest price.'),
          low: z.number().describe('Lowest price.'),
          close: z.number().describe('Price of the last trade.'),
          volume: z.number().describe('Shares of both sides.'),
          trades: z.number().int().describe('Number of trades.'),
          source: z
            .string()
            .nullable()
            .describe('Where its minutes come from; null if trades may be missing in one of them.'),
        }),
      )
      .describe('Oldest first, then by provider and market. The bucket in which the limit falls is complete.'),
    fetchedAt: fetchedAtField.describe(
      'The time up to which everything behind the bars is processed: a bar that ends later may still change.',
    ),
  }),
  async handle({ params, query }, { views, store, turnOf }) {
    const window = windowOf(query);
    const { universalId, links, receivedAt } = await findEvent(views.events, store, params.universalId);
    const { provider: selector } = query;
    const wanted = links.filter(
      ({ used, provider }) => used && (selector === undefined || selectsProvider(selector, provider)),
    );
    const { freshness } = views;
    const tablesAt = await tablesUntil(freshness, candleRangeTopic, candleBarsTable.fromTopics, null);
    const isOnChain = wanted.some(({ provider }) => provider === 'venue_b');
    const chainAt = isOnChain ? await chainBarsThrough(freshness) : null;
    const processed = freshness.isLive() ? { tablesAt, chainAt } : { tablesAt: null, chainAt: null };
    const candles = await readEventCandles(store, wanted, window, { now: freshness.now(), ...processed }, turnOf);
    const at = tablesAt === null ? receivedAt : Math.min(tablesAt, chainAt ?? tablesAt);
    return {
      universalId,
      fetchedAt: isoTime(at),
      candles: candles.toJson(),
    };
  },
});
