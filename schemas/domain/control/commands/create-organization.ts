import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { idSchema, nameSchema, secretHashSchema } from '../fields.ts';
import { putKey, putOrganization } from '../indices.ts';
import { refuseUnlessOperator } from '../operator.ts';
import { type KeyRow, keyRow, type OrganizationRow, organizationRow } from '../rows.ts';
import { PLANS } from '../state.ts';
import { firstAdminKey } from './seed-admin-key.ts';

const body = z.object({
  organizationId: idSchema,
  name: nameSchema,
  plan: z.enum(PLANS),
  adminKey: z.object({ id: idSchema, secret: secretHashSchema }),
});

export interface CreatedOrganization {
  readonly organization: OrganizationRow;
  readonly adminKey: KeyRow;
}

/** Creates an organization with its first admin key. */
export const createOrganization: KeyCommand<z.infer<typeof body>, CreatedOrganization> = {
  type: 'organization.create',
  action: 'organization.create',
  by: 'admin',
  body,
  decide(state, { organizationId, name, plan, adminKey }, { at, actor }) {
    const refusal = refuseUnlessOperator(state, actor);
    if (refusal) return refusal;
    if (state.organizations.has(organizationId)) return refused('conflict', 'organizationId: is already in use');
    if (state.keys.has(adminKey.id) || state.seededKeyIds.has(adminKey.id))
      return refused('conflict', 'adminKey.id: is already in use');
    const organization = { id: organizationId, name, plan, createdAt: at };
    const key = firstAdminKey(adminKey.id, organizationId, adminKey.secret, at);
    putOrganization(state, organization);
    putKey(state, key);
    const result = { organization: organizationRow(organization), adminKey: keyRow(key) };
    return accepted(result, { orgId: organizationId, targetId: organizationId });
  },
};
