import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createWebhook } from '#schemas/domain/control/commands/create-webhook';
import { webhookUrlSchema } from '#schemas/domain/control/fields';
import { defineOwnRoute } from '../../route.ts';
import { checkTarget } from './check-target.ts';
import { makeSigningSecret } from './signing-secret.ts';
import { checkedSubscriptionsSchema, webhookWithSecretSchema } from './webhook-shapes.ts';

export const postWebhooks = defineOwnRoute({
  method: 'POST',
  path: '/v1/webhooks',
  scope: 'admin',
  sku: null,
  status: 201,
  creates: true,
  summary: 'Creates a webhook; its signing secret is told once.',
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({
    url: webhookUrlSchema.describe('https; a full domain name or a public address.'),
    subscriptions: checkedSubscriptionsSchema,
  }),
  response: webhookWithSecretSchema,
  async handle({ body, command }, { targetRules }) {
    checkTarget(body.url, targetRules);
    const secret = makeSigningSecret();
    const { result, replayed } = await command(createWebhook, { ...body, webhookId: `wh_${randomUUID()}`, secret });
    return { ...result, secret: replayed ? null : secret };
  },
});
