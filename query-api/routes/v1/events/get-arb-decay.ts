import { z } from 'zod';
import { arbDecaySchema, halfLifeSec } from '#schemas/http/arb-decay';
import { isoTime } from '#schemas/http/scalars';
import { arbitrageSignalsTable } from '#schemas/tables/arbitrage-signals';
import { spreadHeadTopic } from '#schemas/topics/derived';
import { findEvent } from '../../../queries/find-event.ts';
import { readSignals } from '../../../queries/read-signals.ts';
import { idsWithMerged } from '../../../views/event-index.ts';
import { tablesUntil } from '../../../views/freshness.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getArbDecay = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/arb-decay',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: 'How long arbitrage lasts: the median half-life of the signals of the last 7 days.',
  params: eventPath,
  query: z.object({}),
  response: arbDecaySchema,
  async handle({ params }, { views, store }) {
    const { universalId, receivedAt } = await findEvent(views.events, store, params.universalId);
    const now = await tablesUntil(views.freshness, spreadHeadTopic, arbitrageSignalsTable.fromTopics, receivedAt);
    const figures = await readSignals(store, idsWithMerged(views.events, universalId), now);
    return {
      universalId,
      ...figures,
      medianHalfLifeSec: halfLifeSec(figures.medianHalfLifeMs),
      computedAt: isoTime(now),
    };
  },
});
