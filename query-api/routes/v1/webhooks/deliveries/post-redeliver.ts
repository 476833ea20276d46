import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { redeliverWebhook } from '#schemas/domain/control/commands/redeliver-webhook';
import { ApiError } from '#schemas/errors';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { findDelivery } from '../../../../queries/find-delivery.ts';
import { deliveriesKeptSince } from '../../../../queries/kept-deliveries.ts';
import { defineOwnRoute } from '../../../route.ts';
import { findWebhook } from '../webhook-shapes.ts';

export const postRedeliver = defineOwnRoute({
  method: 'POST',
  path: '/v1/webhooks/:id/deliveries/:deliveryId/redeliver',
  scope: 'admin',
  sku: null,
  status: 202,
  creates: true,
  summary: 'Sends the bytes of a delivery again under the same event id, as a delivery of its own.',
  params: z.object({ id: z.string(), deliveryId: z.string() }),
  query: z.object({}),
  response: z.object({ deliveryId: z.string() }),
  async handle({ params, caller, command, signal }, { control, store, tables, views }) {
    const { orgId, id: webhookId } = findWebhook(control.state, caller, params.id);
    const since = deliveriesKeptSince(views.events);
    const sought = { orgId, webhookId, since, id: params.deliveryId };
    let stored = await findDelivery(store, sought);
    if (!stored) {
      // One that was made a moment ago may not be in the table yet.
      await tables.passed({ topics: [deliveryTopic], key: webhookId }, signal);
      stored = await findDelivery(store, sought);
    }
    if (!stored) throw new ApiError('not_found', 'no such delivery');
    const { id: deliveryId, eventId, eventType, body } = stored;
    const newDeliveryId = `dlv_${randomUUID()}`;
    const asked = { webhookId, deliveryId, newDeliveryId, eventId, eventType, body };
    return { deliveryId: (await command(redeliverWebhook, asked)).result.deliveryId };
  },
});
