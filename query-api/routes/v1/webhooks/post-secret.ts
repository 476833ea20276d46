import { z } from 'zod';
import { rotateWebhookSecret } from '#schemas/domain/control/commands/rotate-webhook-secret';
import { idPath } from '../../id-path.ts';
import { defineCallerRoute } from '../../route.ts';
import { makeSigningSecret } from './signing-secret.ts';
import { webhookWithSecretSchema } from './webhook-shapes.ts';

export const postSecret = defineCallerRoute({
  method: 'POST',
  path: '/v1/webhooks/:id/secret',
  scope: 'admin',
  sku: null,
  status: 201,
  creates: true,
  summary: 'Creates a new signing secret, returned only once; the previous one also signs for another 24 hours.',
  params: idPath,
  query: z.object({}),
  response: webhookWithSecretSchema,
  async handle({ params, command }) {
    const secret = makeSigningSecret();
    const { result, replayed } = await command(rotateWebhookSecret, { webhookId: params.id, secret });
    return { ...result, secret: replayed ? null : secret };
  },
});
