import { z } from 'zod';
import { rotateWebhookSecret } from '#schemas/domain/control/commands/rotate-webhook-secret';
import { idPath } from '../../id-path.ts';
import { defineOwnRoute } from '../../route.ts';
import { makeSigningSecret } from './signing-secret.ts';
import { webhookWithSecretSchema } from './webhook-shapes.ts';

export const postSecret = defineOwnRoute({
  method: 'POST',
  path: '/v1/webhooks/:id/secret',
  scope: 'admin',
  sku: null,
  status: 201,
  creates: true,
  summary: 'Makes a new signing secret, told once; the previous one signs too for 24 hours.',
  params: idPath,
  query: z.object({}),
  response: webhookWithSecretSchema,
  async handle({ params, command }) {
    const secret = makeSigningSecret();
    const { result, replayed } = await command(rotateWebhookSecret, { webhookId: params.id, secret });
    return { ...result, secret: replayed ? null : secret };
  },
});
