import { z } from 'zod';
import { fetchedAtField, universalIdField } from '#schemas/http/fields';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { isoTime } from '#schemas/http/scalars';
import { spreadSnapshotSchema, toSpreadSnapshot } from '#schemas/http/spread';
import { spreadsTable } from '#schemas/tables/spreads';
import { spreadHeadTopic } from '#schemas/topics/derived';
import { findEvent } from '../../../../queries/find-event.ts';
import { readSpreadHistory } from '../../../../queries/read-event-history.ts';
import { idsWithMerged } from '../../../../views/event-index.ts';
import { tablesUntil } from '../../../../views/freshness.ts';
import { defineRoute } from '../../../route.ts';
import { eventPath } from '../event-path.ts';
import { historyQuery, historyRange } from '../history-query.ts';

export const getSpreadHistory = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/spread/history',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: 'The spreads that the channel published, newest first; each time a yesMid moved by 0.005 or more.',
  params: eventPath,
  query: historyQuery,
  response: z.object({
    universalId: universalIdField,
    records: z.array(spreadSnapshotSchema).describe('As published; `fetchedAt` is the time of each.'),
    pagination: paginationSchema,
    fetchedAt: fetchedAtField,
  }),
  async handle({ params, query }, { views: { events, freshness }, store }) {
    const { universalId, receivedAt } = await findEvent(events, store, params.universalId);
    const at = await tablesUntil(freshness, spreadHeadTopic, spreadsTable.fromTopics, receivedAt);
    const page = await readSpreadHistory(store, idsWithMerged(events, universalId), historyRange(query));
    const records = page.records.map((spread) => toSpreadSnapshot({ ...spread, universalId }));
    return { universalId, records, pagination: toPagination(page.nextCursor), fetchedAt: isoTime(at) };
  },
});
