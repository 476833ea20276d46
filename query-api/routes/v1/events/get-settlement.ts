import { z } from 'zod';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { settlementRecordSchema } from '#schemas/http/settlement';
import { eventTopic } from '#schemas/topics/derived';
import { findEvent } from '../../../queries/find-event.ts';
import { readSettlements } from '../../../queries/read-settlements.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getSettlement = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/settlement',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: 'How the linked markets were decided, one record of each, the first to be decided first.',
  params: eventPath,
  query: z.object({}),
  response: z.object({ universalId: z.string(), records: z.array(settlementRecordSchema), fetchedAt: isoTimeSchema }),
  async handle({ params }, { views, store }) {
    const { universalId, links, receivedAt } = await findEvent(views.events, store, params.universalId);
    const records = await readSettlements(store, links);
    // Statuses of events follow from the same resolutions; a record may have been read a moment later.
    const times = records.map(({ resolvedAt }) => Date.parse(resolvedAt));
    return {
      universalId,
      records,
      fetchedAt: isoTime(Math.max(views.freshness.asOf(eventTopic) ?? receivedAt, ...times)),
    };
  },
});
