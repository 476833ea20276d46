import { z } from 'zod';
import { isoTime } from '#schemas/http/scalars';
import { spreadSnapshotSchema, toSpreadSnapshot } from '#schemas/http/spread';
import { spreadHeadTopic } from '#schemas/topics/derived';
import { currentSpread } from '../../../queries/current-spread.ts';
import { findEvent } from '../../../queries/find-event.ts';
import { waitForBooks } from '../../../views/freshness.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getSpread = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/spread',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary: 'The current top of the YES book of every linked market.',
  params: eventPath,
  query: z.object({}),
  response: spreadSnapshotSchema,
  async handle({ params }, { views, store }) {
    const { events, freshness } = views;
    const event = await findEvent(events, store, params.universalId);
    const { universalId, receivedAt } = event;
    await waitForBooks(freshness, spreadHeadTopic);
    const spread = events.spreads.get(universalId);
    // Quotes of an unchanged book are current: the figures are as of the position of the stage that calculates them.
    const asOf = freshness.asOf(spreadHeadTopic) ?? receivedAt;
    const fetchedAt = isoTime(Math.max(asOf, spread?.receivedAt ?? 0));
    // Without a received book there is no spread yet: the response has no legs rather than invented ones.
    return {
      ...(spread ? toSpreadSnapshot(currentSpread(freshness, event, spread)) : { universalId, legs: [], spread: null }),
      fetchedAt,
    };
  },
});
