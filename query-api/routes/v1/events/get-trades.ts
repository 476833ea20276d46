import { z } from 'zod';
import { clampedInteger } from '#schemas/http/parameters';
import { toTradeRecord, tradeRecordSchema } from '#schemas/http/trade';
import { findEvent } from '../../../queries/find-event.ts';
import { readTrades } from '../../../queries/read-trades.ts';
import { defineRoute } from '../../../route.ts';
import { eventId } from './event-id.ts';

export const getEventTrades = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/trades',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary: 'Fills on all linked markets, newest first.',
  params: eventId,
  query: z.object({ limit: clampedInteger({ min: 1, max: 200, fallback: 50 }) }),
  response: z.object({ universalId: z.string(), trades: z.array(tradeRecordSchema) }),
  async handle({ params, query }, { views, store }) {
    const { universalId, links } = findEvent(views, params.universalId);
    const instruments = links.flatMap((link) => [
      link.yesInstrument,
      ...(link.noInstrument ? [link.noInstrument] : []),
    ]);
    const trades = await readTrades(store, instruments, query.limit);
    return { universalId, trades: trades.map(toTradeRecord) };
  },
});
