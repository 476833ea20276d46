import { z } from 'zod';
import { createKey } from '#schemas/domain/control/commands/create-key';
import { nameSchema, scopesSchema } from '#schemas/domain/control/fields';
import { defineOwnRoute } from '../route.ts';
import { createdKey, createdKeySchema } from './key-shapes.ts';

export const postKeys = defineOwnRoute({
  method: 'POST',
  path: '/keys',
  scope: 'admin',
  sku: null,
  status: 201,
  creates: true,
  summary: 'Makes a key in the own organization; its token is told once.',
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({
    name: nameSchema,
    userId: nameSchema,
    scopes: scopesSchema,
    sandbox: z.boolean().default(false),
    rateLimitTier: z.string().optional().describe('Deprecated; not looked at.'),
  }),
  response: createdKeySchema,
  async handle({ body, caller, command }, { secrets }) {
    const { name, userId, scopes, sandbox } = body;
    const made = await secrets.makeKey(caller.orgId, sandbox);
    const { result, replayed } = await command(createKey, {
      keyId: made.keyId,
      name,
      userId,
      scopes,
      sandbox,
      secret: made.hash,
    });
    if (!replayed) made.remember();
    return createdKey(result, replayed ? null : made.token);
  },
});
