import { z } from 'zod';
import type { ServiceCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { putWebhook } from '../indices.ts';
import { type WebhookRow, webhookRow } from '../rows.ts';

const body = z.object({
  webhookId: z.string(),
  /** The row's `updatedAt` at the time of the attempt that is the reason. */
  updatedAt: z.string(),
  /** `gone`: the endpoint responded 410; `failing`: the last attempt of a delivery failed. */
  reason: z.enum(['gone', 'failing']),
});

/**
 * Disables a webhook whose endpoint is gone or fails; the sender of webhooks sends this command. A webhook that is disabled
 * already, or that its owner changed since the attempt (another URL, enabled again), stays as it is.
 */
export const disableWebhook: ServiceCommand<z.infer<typeof body>, WebhookRow> = {
  type: 'webhook.disable',
  action: 'webhook.disable',
  by: 'service',
  body,
  decide(state, { webhookId, updatedAt, reason }, { at }) {
    const before = state.webhooks.get(webhookId);
    if (!before) return refused('not_found', 'no such webhook');
    if (!before.enabled || before.updatedAt !== updatedAt) return accepted(webhookRow(before), null);
    const webhook = { ...before, enabled: false, disabledReason: reason, updatedAt: at };
    putWebhook(state, webhook);
    return accepted(webhookRow(webhook), { orgId: webhook.orgId, targetId: webhookId });
  },
};
