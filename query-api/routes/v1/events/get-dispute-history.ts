import { z } from 'zod';
import { disputePhaseRecordSchema, toDisputePhaseRecord } from '#schemas/http/dispute-phase';
import { universalIdField } from '#schemas/http/fields';
import { findEvent } from '../../../queries/find-event.ts';
import { readDisputePhases } from '../../../queries/read-dispute-phases.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getDisputeHistory = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/dispute-history',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: "The oracle's proposals, disputes and settlements of all linked markets, oldest first.",
  params: eventPath,
  query: z.object({}),
  response: z.object({
    universalId: universalIdField,
    disputes: z.array(disputePhaseRecordSchema).describe('Oldest first, without reverted ones.'),
  }),
  async handle({ params }, { views, store }) {
    const { universalId, links } = await findEvent(views.events, store, params.universalId);
    const phases = await readDisputePhases(store, links);
    return { universalId, disputes: phases.map(toDisputePhaseRecord) };
  },
});
