import { z } from 'zod';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter, timeParameter, wordsParameter } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { toUniversalEvent, universalEventSchema } from '#schemas/http/universal-event';
import { listEvents } from '../../../queries/list-events.ts';
import { defineRoute } from '../../route.ts';

export const getEvents = defineRoute({
  method: 'GET',
  path: '/v1/events',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: 'Lists universal events: questions with the markets that ask them.',
  params: z.object({}),
  query: z.object({
    underlying: z.string().max(64).optional().describe('Only events about this asset, such as BTC.'),
    resolution_after: timeParameter.describe('Only events that are resolved later; unix ms or ISO-8601.').optional(),
    min_providers: clampedInteger({ min: 1, max: 10, fallback: 1 }),
    status: z.enum(['open', 'closed', 'resolved']).optional().describe('Only events of this status.'),
    q: wordsParameter.optional(),
    limit: clampedInteger({ min: 1, max: 1_000, fallback: 100 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    events: z.array(universalEventSchema).describe('By firstSeenAt, then id.'),
    meta: z
      .object({
        total: z.number().int().describe('Number of matching events.'),
        lastReconcile: z
          .object({
            at: isoTimeSchema.describe('When it ended.'),
            ingested: z.number().int().describe('Markets that were new or changed in it.'),
          })
          .nullable()
          .describe('The newest pass over the catalogs; null before the first one.'),
      })
      .describe('About the list.'),
    pagination: paginationSchema,
  }),
  async handle({ query }, { views, store }) {
    const filter = {
      underlying: query.underlying,
      resolutionAfter: query.resolution_after,
      minProviders: query.min_providers,
      status: query.status,
      words: query.q,
    };
    const { events, total, nextCursor } = await listEvents(
      views.events,
      store,
      filter,
      query.limit,
      query.cursor ?? null,
    );
    const { reconcile } = views.events;
    return {
      events: events.map(toUniversalEvent),
      meta: { total, lastReconcile: reconcile && { at: isoTime(reconcile.receivedAt), ingested: reconcile.ingested } },
      pagination: toPagination(nextCursor),
    };
  },
});
