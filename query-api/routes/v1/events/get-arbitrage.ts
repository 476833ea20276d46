import { z } from 'zod';
import { arbitrageRecordSchema, toArbitrageRecord } from '#schemas/http/arbitrage';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import type { Arbitrage } from '#schemas/topics/derived';
import { findEvent } from '../../../queries/find-event.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getArbitrage = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/arbitrage',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary: 'The best arbitrage of each kind now, also when its net edge is negative.',
  params: eventPath,
  query: z.object({}),
  response: z.object({ universalId: z.string(), records: z.array(arbitrageRecordSchema), fetchedAt: isoTimeSchema }),
  async handle({ params }, { views, store }) {
    const { universalId, receivedAt } = await findEvent(views.events, store, params.universalId);
    const records = [...(views.events.arbitrage.get(universalId)?.values() ?? [])].sort(byKind);
    // The clock ticks every 5 s; a record may be newer than its newest mark.
    const fetchedAt = Math.max(views.events.now ?? receivedAt, ...records.map((record) => record.receivedAt));
    return { universalId, records: records.map(toArbitrageRecord), fetchedAt: isoTime(fetchedAt) };
  },
});

function byKind(a: Arbitrage, b: Arbitrage): number {
  return a.kind < b.kind ? -1 : 1;
}
