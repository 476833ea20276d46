import { z } from 'zod';
import { changeWebhook } from '#schemas/domain/control/commands/change-webhook';
import { webhookUrlSchema } from '#schemas/domain/control/fields';
import { idPath } from '../../id-path.ts';
import { defineCallerRoute } from '../../route.ts';
import { checkTarget } from './check-target.ts';
import { checkedSubscriptionsSchema, findWebhook, webhookSchema } from './webhook-shapes.ts';

export const patchWebhook = defineCallerRoute({
  method: 'PATCH',
  path: '/v1/webhooks/:id',
  scope: 'admin',
  sku: null,
  summary: 'Changes, disables or enables a webhook; omitted fields stay unchanged.',
  params: idPath,
  query: z.object({}),
  body: z.strictObject({
    url: webhookUrlSchema.optional().describe('A new URL.'),
    subscriptions: checkedSubscriptionsSchema.optional().describe('They replace all others.'),
    enabled: z.boolean().optional().describe('False disables it, true enables it again.'),
  }),
  response: webhookSchema,
  async handle({ params, body, caller, command }, { control, targetRules }) {
    findWebhook(control.state, caller, params.id);
    if (body.url !== undefined) checkTarget(body.url, targetRules);
    return (await command(changeWebhook, { ...body, webhookId: params.id })).result;
  },
});
