import { z } from 'zod';
import { accepted, type KeyCommand, refused } from '../command.ts';
import { idSchema } from '../fields.ts';
import { webhookOf } from '../lookups.ts';

const body = z.object({
  webhookId: z.string(),
  /** Null: the first that it subscribes to. */
  eventType: z.string().max(100).nullable(),
  deliveryId: idSchema,
  eventId: idSchema,
});

/** What is to be delivered, for whoever makes the delivery of it. */
export interface WebhookTest {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly version: number;
}

/** Asks for a sample on its way to a webhook (the contract, Webhooks). Changes no resource, so no audit entry tells it. */
export const testWebhook: KeyCommand<z.infer<typeof body>, WebhookTest> = {
  type: 'webhook.test',
  action: 'webhook.test',
  by: 'admin',
  body,
  decide(state, { webhookId, eventType, deliveryId, eventId }, { actor }) {
    const webhook = webhookOf(state, actor, webhookId);
    if (!webhook) return refused('not_found', 'no such webhook');
    if (!webhook.enabled) return refused('conflict', 'the webhook is disabled');
    const { subscriptions } = webhook;
    const subscription =
      eventType === null ? subscriptions[0] : subscriptions.find((entry) => entry.eventType === eventType);
    if (!subscription) return refused('validation_failed', 'eventType: the webhook does not subscribe to it');
    const { eventType: told, version } = subscription;
    return accepted({ webhookId, deliveryId, eventId, eventType: told, version }, null);
  },
};
