import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { dropWebhook } from '../indices.ts';
import { webhookOf } from '../lookups.ts';

const body = z.object({ webhookId: z.string() });

/** Deletes a webhook. */
export const deleteWebhook: KeyCommand<z.infer<typeof body>, null> = {
  type: 'webhook.delete',
  action: 'webhook.delete',
  by: 'admin',
  body,
  decide(state, { webhookId }, { actor }) {
    const webhook = webhookOf(state, actor, webhookId);
    if (!webhook) return refused('not_found', 'no such webhook');
    dropWebhook(state, webhook);
    return accepted(null, { orgId: actor.orgId, targetId: webhookId });
  },
};
