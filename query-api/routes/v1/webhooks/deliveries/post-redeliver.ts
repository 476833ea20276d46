import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { redeliverWebhook } from '#schemas/domain/control/commands/redeliver-webhook';
import { ApiError } from '#schemas/errors';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { oldestRetainedAt } from '../../../../queries/delivery-retention.ts';
import { findDelivery } from '../../../../queries/find-delivery.ts';
import { defineCallerRoute } from '../../../route.ts';
import { findWebhook } from '../webhook-shapes.ts';

export const postRedeliver = defineCallerRoute({
  method: 'POST',
  path: '/v1/webhooks/:id/deliveries/:deliveryId/redeliver',
  scope: 'admin',
  sku: null,
  status: 202,
  creates: true,
  summary: 'Sends the body of a delivery again with the same event id, as a new delivery.',
  params: z.object({
    id: z.string().describe('The id of the webhook.'),
    deliveryId: z.string().describe('The id of the delivery to repeat.'),
  }),
  query: z.object({}),
  response: z.object({ deliveryId: z.string().describe('The id of the new delivery.') }),
  async handle({ params, caller, command, signal }, { control, store, tables, views }) {
    const { orgId, id: webhookId } = findWebhook(control.state, caller, params.id);
    const since = oldestRetainedAt(views.events);
    const key = { orgId, webhookId, since, id: params.deliveryId };
    let stored = await findDelivery(store, key);
    if (!stored) {
      // A new delivery may not be in the table yet.
      await tables.awaitRows({ topics: [deliveryTopic], key: webhookId }, signal);
      stored = await findDelivery(store, key);
    }
    if (!stored) throw new ApiError('not_found', 'no such delivery');
    const { id: deliveryId, eventId, eventType, body } = stored;
    const newDeliveryId = `dlv_${randomUUID()}`;
    const redelivery = { webhookId, deliveryId, newDeliveryId, eventId, eventType, body };
    return { deliveryId: (await command(redeliverWebhook, redelivery)).result.deliveryId };
  },
});
