import { z } from 'zod';
import { paginationSchema } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter } from '#schemas/http/parameters';
import { attemptTopic, deliveryTopic } from '#schemas/topics/webhooks';
import { oldestRetainedAt } from '../../../../queries/delivery-retention.ts';
import { readDeliveries } from '../../../../queries/read-deliveries.ts';
import { idPath } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';
import { findWebhook } from '../webhook-shapes.ts';
import { deliverySchema, toDeliveryRow } from './delivery-shapes.ts';

export const getDeliveries = defineCallerRoute({
  method: 'GET',
  path: '/v1/webhooks/:id/deliveries',
  scope: 'read',
  sku: null,
  summary: 'Deliveries of a webhook in the last 30 days with their attempts, newest first.',
  params: idPath,
  query: z.object({
    limit: clampedInteger({ min: 1, max: 200, fallback: 50 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    deliveries: z.array(deliverySchema).describe('Newest first.'),
    pagination: paginationSchema,
  }),
  async handle({ params, query, caller, signal }, { control, store, tables, views }) {
    const { orgId, id: webhookId } = findWebhook(control.state, caller, params.id);
    await tables.awaitRows({ topics: [deliveryTopic, attemptTopic], key: webhookId }, signal);
    const filter = { orgId, webhookId, since: oldestRetainedAt(views.events) };
    const { deliveries, nextCursor } = await readDeliveries(store, filter, query.limit, query.cursor ?? null);
    return { deliveries: deliveries.map(toDeliveryRow), pagination: { nextCursor, hasMore: nextCursor !== null } };
  },
});
