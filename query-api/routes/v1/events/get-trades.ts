import { z } from 'zod';
import { fetchedAtField, universalIdField } from '#schemas/http/fields';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter } from '#schemas/http/parameters';
import { isoTime } from '#schemas/http/scalars';
import { toTradeRecord, tradeRecordSchema } from '#schemas/http/trade';
import { tradesTable } from '#schemas/tables/trades';
import { eventTopic } from '#schemas/topics/derived';
import { findEvent } from '../../../queries/find-event.ts';
import { readTradePage } from '../../../queries/read-trades.ts';
import { instrumentsOf } from '../../../queries/traded-instruments.ts';
import { tablesUntil } from '../../../views/freshness.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getEventTrades = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/trades',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: 'Trades on all linked markets, newest first.',
  params: eventPath,
  query: z.object({
    limit: clampedInteger({ min: 1, max: 200, fallback: 50 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    universalId: universalIdField,
    trades: z.array(tradeRecordSchema).describe('Newest first, without reverted ones.'),
    pagination: paginationSchema,
    fetchedAt: fetchedAtField,
  }),
  async handle({ params, query }, { views, store }) {
    const { universalId, links, receivedAt } = await findEvent(views.events, store, params.universalId);
    const instruments = links.flatMap(instrumentsOf);
    const at = await tablesUntil(views.freshness, eventTopic, tradesTable.fromTopics, receivedAt);
    const { trades, nextCursor } = await readTradePage(store, instruments, query.limit, query.cursor ?? null);
    const pagination = toPagination(nextCursor);
    return { universalId, trades: trades.map(toTradeRecord), pagination, fetchedAt: isoTime(at) };
  },
});
