import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createOrganization } from '#schemas/domain/control/commands/create-organization';
import { nameSchema } from '#schemas/domain/control/fields';
import { refuseOthersThanOperator } from '#schemas/domain/control/operator';
import { PLANS } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { createdKey, createdKeySchema } from '../../keys/key-shapes.ts';
import { defineOwnRoute } from '../../route.ts';
import { organizationSchema } from './organization-shapes.ts';

export const postOrganizations = defineOwnRoute({
  method: 'POST',
  path: '/v1/organizations',
  scope: 'admin',
  sku: null,
  status: 201,
  creates: true,
  summary: 'Makes an organization with its first admin key; for keys of the first organization only.',
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({ name: nameSchema, plan: z.enum(PLANS) }),
  response: organizationSchema.omit({ suspended: true }).extend({ adminKey: createdKeySchema }),
  async handle({ body, caller, command }, { control, secrets }) {
    // The reducer decides; whoever may not is refused without a hash.
    const refusal = refuseOthersThanOperator(control.state, caller);
    if (refusal) throw new ApiError(refusal.code, refusal.message);
    const made = await secrets.makeKey(caller.orgId, false);
    const { result, replayed } = await command(createOrganization, {
      organizationId: `org_${randomUUID()}`,
      name: body.name,
      plan: body.plan,
      adminKey: { id: made.keyId, secret: made.hash },
    });
    if (!replayed) made.remember();
    const { id, name, plan, createdAt } = result.organization;
    return { id, name, plan, createdAt, adminKey: createdKey(result.adminKey, replayed ? null : made.token) };
  },
});
