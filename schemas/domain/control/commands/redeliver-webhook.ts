import { z } from 'zod';
import { accepted, type KeyCommand, refused } from '../command.ts';
import { idSchema } from '../fields.ts';
import { webhookOf } from '../lookups.ts';

/** Characters of a stored body at most; every event that there is stays far below. */
export const REDELIVERED_BODY_MAX = 256 * 1_024;

const body = z.object({
  webhookId: z.string(),
  /** The delivery whose bytes are to be sent again. That it is the webhook's was checked before. */
  deliveryId: idSchema,
  newDeliveryId: idSchema,
  eventId: idSchema,
  eventType: z.string().min(1).max(100),
  /** Its body, as every attempt sent it. */
  body: z.string().min(1).max(REDELIVERED_BODY_MAX),
});

/** What is to be delivered, apart from its body: results are kept for a day under an `Idempotency-Key`. */
export interface WebhookRedelivery {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
}

/** Asks for the bytes of an earlier delivery to be sent again, under its event id. Changes no resource either. */
export const redeliverWebhook: KeyCommand<z.infer<typeof body>, WebhookRedelivery> = {
  type: 'webhook.redeliver',
  action: 'webhook.redeliver',
  by: 'admin',
  body,
  decide(state, { webhookId, newDeliveryId, eventId, eventType }, { actor }) {
    const webhook = webhookOf(state, actor, webhookId);
    if (!webhook) return refused('not_found', 'no such webhook');
    if (!webhook.enabled) return refused('conflict', 'the webhook is disabled');
    return accepted({ webhookId, deliveryId: newDeliveryId, eventId, eventType }, null);
  },
};
