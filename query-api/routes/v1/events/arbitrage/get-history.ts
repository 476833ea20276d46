import { z } from 'zod';
import { arbitrageRecordSchema, toArbitrageRecord } from '#schemas/http/arbitrage';
import { fetchedAtField, universalIdField } from '#schemas/http/fields';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { isoTime } from '#schemas/http/scalars';
import { arbitrageTable } from '#schemas/tables/arbitrage';
import { arbitrageHeadTopic } from '#schemas/topics/derived';
import { findEvent } from '../../../../queries/find-event.ts';
import { readArbitrageHistory } from '../../../../queries/read-event-history.ts';
import { idsWithMerged } from '../../../../views/event-index.ts';
import { tablesUntil } from '../../../../views/freshness.ts';
import { defineRoute } from '../../../route.ts';
import { eventPath } from '../event-path.ts';
import { historyQuery, historyRange } from '../history-query.ts';

export const getArbitrageHistory = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/arbitrage/history',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: 'The profitable arbitrage that the channel published, newest first.',
  params: eventPath,
  query: historyQuery,
  response: z.object({
    universalId: universalIdField,
    records: z.array(arbitrageRecordSchema).describe('As published; `quoteAgeMs` is the age of the quotes at `at`.'),
    pagination: paginationSchema,
    fetchedAt: fetchedAtField,
  }),
  async handle({ params, query }, { views: { events, freshness }, store }) {
    const { universalId, receivedAt } = await findEvent(events, store, params.universalId);
    const at = await tablesUntil(freshness, arbitrageHeadTopic, arbitrageTable.fromTopics, receivedAt);
    const page = await readArbitrageHistory(store, idsWithMerged(events, universalId), historyRange(query));
    const records = page.records.map((record) => toArbitrageRecord({ ...record, universalId }));
    return { universalId, records, pagination: toPagination(page.nextCursor), fetchedAt: isoTime(at) };
  },
});
