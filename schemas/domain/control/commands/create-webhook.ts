import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { idSchema, signingSecretSchema, subscriptionsError, subscriptionsSchema, webhookUrlSchema } from '../fields.ts';
import { putWebhook } from '../indices.ts';
import { ownerName } from '../owner.ts';
import { type WebhookRow, webhookRow } from '../rows.ts';
import type { Webhook } from '../state.ts';

/** Webhooks of one organization (contract, Webhooks); its live set and its sandbox are counted separately. */
export const WEBHOOKS_MAX = 100;

const body = z.object({
  webhookId: idSchema,
  url: webhookUrlSchema,
  subscriptions: subscriptionsSchema,
  /** In plain text, see `SigningSecret`. */
  secret: signingSecretSchema,
});

/** Creates an enabled webhook. REST has checked that its URL is allowed and that its subscriptions exist. */
export const createWebhook: KeyCommand<z.infer<typeof body>, WebhookRow> = {
  type: 'webhook.create',
  action: 'webhook.create',
  by: 'admin',
  body,
  decide(state, { webhookId, url, subscriptions, secret }, { at, actor }) {
    const { orgId, sandbox } = actor;
    const error = subscriptionsError(subscriptions);
    if (error) return refused('validation_failed', `subscriptions: ${error}`);
    if ((state.webhooksByOwner.get(ownerName(actor))?.size ?? 0) >= WEBHOOKS_MAX)
      return refused('conflict', `an organization has at most ${WEBHOOKS_MAX} webhooks`);
    if (state.webhooks.has(webhookId)) return refused('conflict', 'webhookId: is already in use');
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
