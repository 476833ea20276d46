import { z } from 'zod';
import { arbitrageRecordSchema } from '#schemas/http/arbitrage';
import { fetchedAtField, universalIdField } from '#schemas/http/fields';
import { isoTime } from '#schemas/http/scalars';
import { type Arbitrage, arbitrageHeadTopic } from '#schemas/topics/derived';
import { currentArbitrage } from '../../../queries/current-arbitrage.ts';
import { currentSpread } from '../../../queries/current-spread.ts';
import { findEvent } from '../../../queries/find-event.ts';
import { absentPairs, MISSING_EDGE_REASONS, REASONS_TEXT } from '../../../queries/missing-edge.ts';
import { waitForBooks } from '../../../views/freshness.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getArbitrage = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/arbitrage',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary:
    'The current best arbitrage of each kind, even if its net edge is negative, and why other pairs of markets have none.',
  params: eventPath,
  query: z.object({}),
  response: z.object({
    universalId: universalIdField,
    records: z.array(arbitrageRecordSchema).describe('At most one of each kind.'),
    absent: z
      .array(
        z.object({
          kind: z.enum(['cross_provider', 'negation_pair']).describe('The form of arbitrage.'),
          buyMarketId: z.string().nullable().describe('The market where YES would be bought; null for one_provider.'),
          sellMarketId: z
            .string()
            .nullable()
            .describe('The market where YES would be sold, or NO bought; null for one_provider.'),
          reason: z.enum(MISSING_EDGE_REASONS).describe(REASONS_TEXT),
        }),
      )
      .describe('The pairs of markets of different providers that cannot be quoted.'),
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
    const current = currentArbitrage(freshness, event, records);
    const spread = events.spreads.get(universalId);
    const legs = spread ? currentSpread(freshness, event, spread).legs : [];
    const absent = absentPairs(event, legs, events.statuses, new Set(current.map(({ kind }) => kind)));
    return { universalId, records: current, absent, fetchedAt };
  },
});

function byKind(a: Arbitrage, b: Arbitrage): number {
  return a.kind < b.kind ? -1 : 1;
}
