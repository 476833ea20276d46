import { z } from 'zod';
import { isoTime } from '#schemas/http/scalars';
import { spreadSnapshotSchema, toSpreadSnapshot } from '#schemas/http/spread';
import { findEvent } from '../../../queries/find-event.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getSpread = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/spread',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary: 'The YES book of every linked market now.',
  params: eventPath,
  query: z.object({}),
  response: spreadSnapshotSchema,
  async handle({ params }, { views, store }) {
    const { universalId, receivedAt } = await findEvent(views.events, store, params.universalId);
    const spread = views.events.spreads.get(universalId);
    // The clock ticks every 5 s; a spread may be newer than its newest mark. Of a book that stands the quotes are as live.
    const fetchedAt = isoTime(Math.max(views.events.now ?? receivedAt, spread?.receivedAt ?? 0));
    // Linked markets whose books were never received have no snapshot yet: no legs, rather than made-up ones.
    return { ...(spread ? toSpreadSnapshot(spread) : { universalId, legs: [] }), fetchedAt };
  },
});
