import { z } from 'zod';
import { arbitrageRecordSchema, toArbitrageRecord } from '#schemas/http/arbitrage';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { findEvent } from '../../../queries/find-event.ts';
import { defineRoute } from '../../../route.ts';
import { eventId } from './event-id.ts';

export const getArbitrage = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/arbitrage',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary: 'The best arbitrage of each kind now, also when its net edge is negative.',
  params: eventId,
  query: z.object({}),
  response: z.object({ universalId: z.string(), records: z.array(arbitrageRecordSchema), fetchedAt: isoTimeSchema }),
  handle({ params }, { views }) {
    const { universalId, receivedAt } = findEvent(views, params.universalId);
    const records = [...(views.arbitrage.get(universalId)?.values() ?? [])].map(toArbitrageRecord);
    return { universalId, records, fetchedAt: isoTime(views.now ?? receivedAt) };
  },
});
