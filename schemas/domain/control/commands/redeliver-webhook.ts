import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { idSchema } from '../fields.ts';
import { webhookOf } from '../lookups.ts';

/** Largest number of characters of a stored body; every event stays far below it. */
export const REDELIVERED_BODY_MAX = 256 * 1_024;

const body = z.object({
  webhookId: z.string(),
  /** The delivery whose bytes are sent again. REST has checked that it belongs to the webhook. */
  deliveryId: idSchema,
  newDeliveryId: idSchema,
  eventId: idSchema,
  eventType: z.string().min(1).max(100),
  /** The body that every attempt sent. */
  body: z.string().min(1).max(REDELIVERED_BODY_MAX),
});

/** The new delivery without its body, because results are stored for a day under their `Idempotency-Key`. */
export interface WebhookRedelivery {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
}

/** Requests that the bytes of an earlier delivery are sent again, under its event id. Changes no resource. */
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
