import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { nameSchema } from '../fields.ts';
import { putOrganization } from '../indices.ts';
import { refuseUnlessOperator } from '../operator.ts';
import { type OrganizationRow, organizationRow } from '../rows.ts';
import { type Organization, PLANS } from '../state.ts';

const body = z.object({
  organizationId: z.string(),
  name: nameSchema.optional(),
  plan: z.enum(PLANS).optional(),
  suspended: z.boolean().optional(),
});

/** Renames an organization, changes its plan, suspends or resumes it; fields that are left out stay as they are. */
export const changeOrganization: KeyCommand<z.infer<typeof body>, OrganizationRow> = {
  type: 'organization.change',
  action: 'organization.change',
  by: 'admin',
  body,
  decide(state, { organizationId, name, plan, suspended }, { actor }) {
    const refusal = refuseUnlessOperator(state, actor);
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
    // Its keys work again when it is resumed; until then they count as revoked, and their sockets close.
    const suspends = organization.suspended && !before.suspended;
    const revokedKeyIds = suspends
      ? Array.from(state.keysByOrganization.get(organizationId) ?? [], ({ id }) => id)
      : [];
    return accepted(organizationRow(organization), { orgId: organizationId, targetId: organizationId, revokedKeyIds });
  },
};
