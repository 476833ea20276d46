import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import { attemptTopic, deliveryTopic } from '#schemas/topics/webhooks';
import { deliveryHeaders } from '#schemas/webhooks/delivery-headers';
import { oldestRetainedAt } from '../../../../queries/delivery-retention.ts';
import { readDelivery } from '../../../../queries/read-deliveries.ts';
import { defineCallerRoute } from '../../../route.ts';
import { findWebhook } from '../webhook-shapes.ts';
import { attemptSchema, deliverySchema, toDeliveryRow } from './delivery-shapes.ts';

export const getDelivery = defineCallerRoute({
  method: 'GET',
  path: '/v1/webhooks/:id/deliveries/:deliveryId',
  scope: 'read',
  sku: 'api.request',
  summary: 'A delivery of the last 30 days with the request of each attempt.',
  params: z.object({
    id: z.string().describe('The id of the webhook.'),
    deliveryId: z.string().describe('The id of the delivery.'),
  }),
  query: z.object({}),
  response: z.object({
    ...deliverySchema.shape,
    attempts: z
      .array(
        attemptSchema.extend({
          requestHeaders: z
            .record(z.string(), z.string())
            .nullable()
            .describe(
              'Headers of the request, without those of the connection; null if no request was made, or if an older version made it.',
            ),
        }),
      )
      .describe('Oldest first.'),
    body: z.string().describe('The CloudEvent as every attempt sends it.'),
  }),
  async handle({ params, caller, signal }, { control, store, tables, views }) {
    const { orgId, id: webhookId } = findWebhook(control.state, caller, params.id);
    await tables.awaitRows({ topics: [deliveryTopic, attemptTopic], key: webhookId }, signal);
    const filter = { orgId, webhookId, since: oldestRetainedAt(views.events) };
    const found = await readDelivery(store, filter, params.deliveryId);
    if (!found) throw new ApiError('not_found', 'no such delivery');
    const { body, ...delivery } = found;
    const row = toDeliveryRow(delivery);
    const headersOf = (nth: number) => {
      const { at, signature } = delivery.attempts[nth]!;
      return signature === null ? null : deliveryHeaders({ eventId: delivery.eventId, at, signature });
    };
    const attempts = row.attempts.map((attempt, nth) => ({ ...attempt, requestHeaders: headersOf(nth) }));
    return { ...row, attempts, body };
  },
});
