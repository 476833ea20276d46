import { z } from 'zod';
import { accepted, type KeyCommand, refused } from '../command.ts';
import { nameSchema } from '../fields.ts';
import { putOrganization } from '../indices.ts';
import { refuseOthersThanOperator } from '../operator.ts';
import { type OrganizationRow, organizationRow } from '../rows.ts';
import { type Organization, PLANS } from '../state.ts';

const body = z.object({
  organizationId: z.string(),
  name: nameSchema.optional(),
  plan: z.enum(PLANS).optional(),
  suspended: z.boolean().optional(),
});

/** Renames an organization, changes its plan, suspends it or lets it on again; what is not given stays. */
export const changeOrganization: KeyCommand<z.infer<typeof body>, OrganizationRow> = {
  type: 'organization.change',
  action: 'organization.change',
  by: 'admin',
  body,
  decide(state, { organizationId, name, plan, suspended }, { actor }) {
    const refusal = refuseOthersThanOperator(state, actor);
    if (refusal) return refusal;
    const before = state.organizations.get(organizationId);
    if (!before) return refused('not_found', 'no such organization');
    if (suspended && organizationId === state.firstOrganizationId)
      return refused('conflict', 'suspended: the first organization cannot be suspended');
    const organization: Organization = {
      ...before,
      name: name ?? before.name,
      plan: plan ?? before.plan,
      suspended: suspended ?? before.suspended ?? false,
    };
    putOrganization(state, organization);
    // Its keys come back with it; until then they are as good as revoked, and their sockets close.
    const stops = organization.suspended && !before.suspended;
    const revokedKeyIds = stops ? Array.from(state.keysByOrganization.get(organizationId) ?? [], ({ id }) => id) : [];
    return accepted(organizationRow(organization), { orgId: organizationId, targetId: organizationId, revokedKeyIds });
  },
};
