import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createWebhook } from '#schemas/domain/control/commands/create-webhook';
import { webhookUrlSchema } from '#schemas/domain/control/fields';
import { defineCallerRoute } from '../../route.ts';
import { checkTarget } from './check-target.ts';
import { makeSigningSecret } from './signing-secret.ts';
import { checkedSubscriptionsSchema, webhookWithSecretSchema } from './webhook-shapes.ts';

export const postWebhooks = defineCallerRoute({
  method: 'POST',
  path: '/v1/webhooks',
  scope: 'admin',
  sku: null,
  status: 201,
  creates: true,
  summary: 'Creates a webhook. Its signing secret is returned only once.',
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({
    url: webhookUrlSchema.describe('An https URL with a fully qualified domain name or a public IP address.'),
    subscriptions: checkedSubscriptionsSchema.describe('What it delivers.'),
  }),
  response: webhookWithSecretSchema,
  async handle({ body, command }, { targetRules }) {
    checkTarget(body.url, targetRules);
    const secret = makeSigningSecret();
    const { result, replayed } = await command(createWebhook, { ...body, webhookId: `wh_${randomUUID()}`, secret });
    return { ...result, secret: replayed ? null : secret };
  },
});
