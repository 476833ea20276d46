import { z } from 'zod';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter, timeParameter } from '#schemas/http/parameters';
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
    underlying: z.string().max(64).optional(),
    resolution_after: timeParameter.optional(),
    min_providers: clampedInteger({ min: 1, max: 10, fallback: 1 }),
    status: z.enum(['open', 'closed', 'resolved']).optional(),
    limit: clampedInteger({ min: 1, max: 1_000, fallback: 100 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    events: z.array(universalEventSchema),
    meta: z.object({
      total: z.number().int(),
      lastReconcile: z.object({ at: isoTimeSchema, ingested: z.number().int() }).nullable(),
    }),
    pagination: paginationSchema,
  }),
  async handle({ query }, { views, store }) {
    const filter = {
      underlying: query.underlying,
      resolutionAfter: query.resolution_after,
      minProviders: query.min_providers,
      status: query.status,
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
