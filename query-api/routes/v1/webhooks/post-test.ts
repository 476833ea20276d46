import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { testWebhook } from '#schemas/domain/control/commands/test-webhook';
import { idPath } from '../../id-path.ts';
import { defineCallerRoute } from '../../route.ts';

export const postTest = defineCallerRoute({
  method: 'POST',
  path: '/v1/webhooks/:id/test',
  scope: 'admin',
  sku: null,
  status: 202,
  creates: true,
  summary: 'Sends a sample event like any other event; by default of the first subscribed type.',
  params: idPath,
  query: z.object({}),
  body: z
    .strictObject({
      eventType: z.string().min(1).max(100).optional().describe('A subscribed type; by default the first one.'),
    })
    .prefault({}),
  response: z.object({
    deliveryId: z.string().describe('The id of the delivery.'),
    eventId: z.string().describe('The id of the sample event.'),
  }),
  async handle({ params, body, command }) {
    const { result } = await command(testWebhook, {
      webhookId: params.id,
      eventType: body.eventType ?? null,
      deliveryId: `dlv_${randomUUID()}`,
      eventId: `we_${randomUUID()}`,
    });
    return { deliveryId: result.deliveryId, eventId: result.eventId };
  },
});
