import { z } from 'zod';
import { createKey } from '#schemas/domain/control/commands/create-key';
import { nameSchema, scopesSchema } from '#schemas/domain/control/fields';
import { defineCallerRoute } from '../route.ts';
import { createdKey, createdKeySchema } from './key-shapes.ts';

export const postKeys = defineCallerRoute({
  method: 'POST',
  path: '/keys',
  scope: 'admin',
  sku: null,
  status: 201,
  creates: true,
  summary: "Creates a key in the caller's organization. Its token is returned only once.",
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({
    name: nameSchema.describe('A label.'),
    userId: nameSchema.describe('The user that it belongs to.'),
    scopes: scopesSchema.describe('What it allows.'),
    sandbox: z.boolean().default(false).describe('True for a key of the sandbox.'),
    rateLimitTier: z.string().optional().describe('Deprecated; ignored.'),
  }),
  response: createdKeySchema,
  async handle({ body, caller, command }, { keyGenerator }) {
    const { name, userId, scopes, sandbox } = body;
    const generated = await keyGenerator.generateKey(caller.orgId, sandbox);
    const { result, replayed } = await command(createKey, {
      keyId: generated.keyId,
      name,
      userId,
      scopes,
      sandbox,
      secret: generated.hash,
    });
    if (!replayed) generated.remember();
    return createdKey(result, replayed ? null : generated.token);
  },
});
