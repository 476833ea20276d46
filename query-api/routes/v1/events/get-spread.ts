import { z } from 'zod';
import { isoTime } from '#schemas/http/scalars';
import { spreadSnapshotSchema, toSpreadSnapshot } from '#schemas/http/spread';
import { spreadHeadTopic } from '#schemas/topics/derived';
import { currentSpread } from '../../../queries/current-spread.ts';
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
    const { events, freshness } = views;
    const event = await findEvent(events, store, params.universalId);
    const { universalId, receivedAt } = event;
    const spread = events.spreads.get(universalId);
    // Of a book that stands the quotes are as live: the figures are as of the position of the stage that writes them.
    const asOf = freshness.asOf(spreadHeadTopic) ?? receivedAt;
    const fetchedAt = isoTime(Math.max(asOf, spread?.receivedAt ?? 0));
    // Linked markets whose books were never received have no snapshot yet: no legs, rather than made-up ones.
    return {
      ...(spread ? toSpreadSnapshot(currentSpread(freshness, event, spread)) : { universalId, legs: [] }),
      fetchedAt,
    };
  },
});
