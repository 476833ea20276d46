import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { idSchema } from '../fields.ts';
import { webhookOf } from '../lookups.ts';

const body = z.object({
  webhookId: z.string(),
  /** Null for the first type that the webhook subscribes to. */
  eventType: z.string().max(100).nullable(),
  deliveryId: idSchema,
  eventId: idSchema,
});

/** The sample that is to be delivered, for the stage that creates the delivery. */
export interface WebhookTest {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly version: number;
}

/** Requests a sample for a webhook (contract, Webhooks). It changes no resource, so it has no audit entry. */
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
    return accepted(
      { webhookId, deliveryId, eventId, eventType: subscription.eventType, version: subscription.version },
      null,
    );
  },
};
