import { z } from 'zod';
import { accepted, type KeyCommand, refused } from '../command.ts';
import { idSchema, signingSecretSchema, subscriptionsFault, subscriptionsSchema, webhookUrlSchema } from '../fields.ts';
import { putWebhook } from '../indices.ts';
import { ownerName } from '../owner.ts';
import { type WebhookRow, webhookRow } from '../rows.ts';
import type { Webhook } from '../state.ts';

/** The contract, Webhooks; counted for the live set and the sandbox's apart. */
export const WEBHOOKS_MAX = 100;

const body = z.object({
  webhookId: idSchema,
  url: webhookUrlSchema,
  subscriptions: subscriptionsSchema,
  /** As it is, see `SigningSecret`. */
  secret: signingSecretSchema,
});

/** Creates an enabled webhook. That its target may be reached and its subscriptions exist was checked before. */
export const createWebhook: KeyCommand<z.infer<typeof body>, WebhookRow> = {
  type: 'webhook.create',
  action: 'webhook.create',
  by: 'admin',
  body,
  decide(state, { webhookId, url, subscriptions, secret }, { at, actor }) {
    const { orgId, sandbox } = actor;
    const fault = subscriptionsFault(subscriptions);
    if (fault) return refused('validation_failed', `subscriptions: ${fault}`);
    if ((state.webhooksByOwner.get(ownerName(actor))?.size ?? 0) >= WEBHOOKS_MAX)
      return refused('conflict', `an organization has at most ${WEBHOOKS_MAX} webhooks`);
    if (state.webhooks.has(webhookId)) return refused('conflict', 'webhookId: is taken');
    const webhook: Webhook = {
      id: webhookId,
      orgId,
      sandbox,
      url,
      subscriptions,
      enabled: true,
      disabledReason: null,
      createdAt: at,
      updatedAt: at,
      secrets: [{ secret, until: null }],
    };
    putWebhook(state, webhook);
    return accepted(webhookRow(webhook), { orgId, targetId: webhookId });
  },
};
