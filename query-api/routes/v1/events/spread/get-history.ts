import { z } from 'zod';
import { universalIdField } from '#schemas/http/fields';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { spreadSnapshotSchema, toSpreadSnapshot } from '#schemas/http/spread';
import { findEvent } from '../../../../queries/find-event.ts';
import { readSpreadHistory } from '../../../../queries/read-event-history.ts';
import { idsWithMerged } from '../../../../views/event-index.ts';
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
  }),
  async handle({ params, query }, { views: { events }, store }) {
    const { universalId } = await findEvent(events, store, params.universalId);
    const page = await readSpreadHistory(store, idsWithMerged(events, universalId), historyRange(query));
    const records = page.records.map((spread) => toSpreadSnapshot({ ...spread, universalId }));
    return { universalId, records, pagination: toPagination(page.nextCursor) };
  },
});
