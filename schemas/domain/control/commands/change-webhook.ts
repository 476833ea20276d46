import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { subscriptionsError, subscriptionsSchema, webhookUrlSchema } from '../fields.ts';
import { putWebhook } from '../indices.ts';
import { webhookOf } from '../lookups.ts';
import { type WebhookRow, webhookRow } from '../rows.ts';
import type { DisabledReason, Webhook } from '../state.ts';

const body = z.object({
  webhookId: z.string(),
  url: webhookUrlSchema.optional(),
  subscriptions: subscriptionsSchema.optional(),
  enabled: z.boolean().optional(),
});

/** Changes a webhook; fields that are left out stay as they are. */
export const changeWebhook: KeyCommand<z.infer<typeof body>, WebhookRow> = {
  type: 'webhook.change',
  action: 'webhook.change',
  by: 'admin',
  body,
  decide(state, { webhookId, url, subscriptions, enabled }, { at, wallTime, actor }) {
    const before = webhookOf(state, actor, webhookId);
    if (!before) return refused('not_found', 'no such webhook');
    const error = subscriptions ? subscriptionsError(subscriptions) : null;
    if (error) return refused('validation_failed', `subscriptions: ${error}`);
    const webhook: Webhook = {
      ...before,
      url: url ?? before.url,
      subscriptions: subscriptions ?? before.subscriptions,
      enabled: enabled ?? before.enabled,
      disabledReason: nextDisabledReason(before, enabled),
      ...(enabled && !before.enabled ? { enabledAt: wallTime } : {}),
      updatedAt: at,
    };
    putWebhook(state, webhook);
    return accepted(webhookRow(webhook), { orgId: actor.orgId, targetId: webhookId });
  },
};

/** A webhook that is disabled again retains its first reason. */
function nextDisabledReason(before: Webhook, enabled: boolean | undefined): DisabledReason | null {
  if (enabled === undefined) return before.disabledReason;
  return enabled ? null : (before.disabledReason ?? 'manual');
}
