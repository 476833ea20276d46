import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { signingSecretSchema } from '../fields.ts';
import { putWebhook } from '../indices.ts';
import { webhookOf } from '../lookups.ts';
import { type WebhookRow, webhookRow } from '../rows.ts';

/** How long the previous secret signs in addition to the new one (contract, Webhooks). */
const PREVIOUS_SIGNS_MS = 24 * 60 * 60 * 1_000;

const body = z.object({
  webhookId: z.string(),
  /** In plain text, see `SigningSecret`. */
  secret: signingSecretSchema,
});

/** Gives a webhook a new secret. Of the earlier secrets only the newest continues to sign, for a day. */
export const rotateWebhookSecret: KeyCommand<z.infer<typeof body>, WebhookRow> = {
  type: 'webhook.rotate_secret',
  action: 'webhook.rotate_secret',
  by: 'admin',
  body,
  decide(state, { webhookId, secret }, { wallTime, at, actor }) {
    const before = webhookOf(state, actor, webhookId);
    if (!before) return refused('not_found', 'no such webhook');
    const previous = { secret: before.secrets[0]!.secret, until: wallTime + PREVIOUS_SIGNS_MS };
    const webhook = { ...before, secrets: [{ secret, until: null }, previous], updatedAt: at };
    putWebhook(state, webhook);
    return accepted(webhookRow(webhook), { orgId: actor.orgId, targetId: webhookId });
  },
};
