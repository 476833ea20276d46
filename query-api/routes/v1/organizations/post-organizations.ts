import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createOrganization } from '#schemas/domain/control/commands/create-organization';
import { nameSchema } from '#schemas/domain/control/fields';
import { refuseUnlessOperator } from '#schemas/domain/control/operator';
import { PLANS } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { createdKey, createdKeySchema } from '../../keys/key-shapes.ts';
import { defineCallerRoute } from '../../route.ts';
import { organizationSchema } from './organization-shapes.ts';

export const postOrganizations = defineCallerRoute({
  method: 'POST',
  path: '/v1/organizations',
  scope: 'admin',
  sku: null,
  status: 201,
  creates: true,
  summary: 'Creates an organization with its first admin key; only for keys of the first organization.',
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({
    name: nameSchema.describe('Its name.'),
    plan: z.enum(PLANS).describe('Its plan, which determines its quotas.'),
  }),
  response: organizationSchema
    .omit({ suspended: true })
    .extend({ adminKey: createdKeySchema.describe('Its first admin key.') }),
  async handle({ body, caller, command }, { control, keyGenerator }) {
    // The reducer decides; this check only saves the hash for callers that it would refuse.
    const refusal = refuseUnlessOperator(control.state, caller);
    if (refusal) throw new ApiError(refusal.code, refusal.message);
    const generated = await keyGenerator.generateKey(caller.orgId, false);
    const { result, replayed } = await command(createOrganization, {
      organizationId: `org_${randomUUID()}`,
      name: body.name,
      plan: body.plan,
      adminKey: { id: generated.keyId, secret: generated.hash },
    });
    if (!replayed) generated.remember();
    const { id, name, plan, createdAt } = result.organization;
    return { id, name, plan, createdAt, adminKey: createdKey(result.adminKey, replayed ? null : generated.token) };
  },
});
