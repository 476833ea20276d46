import { z } from 'zod';
import { arbitrageRecordSchema } from '#schemas/http/arbitrage';
import { fetchedAtField, universalIdField } from '#schemas/http/fields';
import { isoTime } from '#schemas/http/scalars';
import { type Arbitrage, arbitrageHeadTopic } from '#schemas/topics/derived';
import { currentArbitrage } from '../../../queries/current-arbitrage.ts';
import { findEvent } from '../../../queries/find-event.ts';
import { waitForBooks } from '../../../views/freshness.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getArbitrage = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/arbitrage',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary: 'The current best arbitrage of each kind, even if its net edge is negative.',
  params: eventPath,
  query: z.object({}),
  response: z.object({
    universalId: universalIdField,
    records: z.array(arbitrageRecordSchema).describe('At most one of each kind.'),
    fetchedAt: fetchedAtField,
  }),
  async handle({ params }, { views, store }) {
    const { events, freshness } = views;
    const event = await findEvent(events, store, params.universalId);
    const { universalId, receivedAt } = event;
    await waitForBooks(freshness, arbitrageHeadTopic);
    const records = [...(events.arbitrage.get(universalId)?.values() ?? [])].sort(byKind);
    const asOf = freshness.asOf(arbitrageHeadTopic) ?? receivedAt;
    const fetchedAt = isoTime(Math.max(asOf, ...records.map((record) => record.receivedAt)));
    return { universalId, records: currentArbitrage(freshness, event, records), fetchedAt };
  },
});

function byKind(a: Arbitrage, b: Arbitrage): number {
  return a.kind < b.kind ? -1 : 1;
}
