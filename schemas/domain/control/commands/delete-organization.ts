import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { dropOrganization } from '../indices.ts';
import { refuseUnlessOperator } from '../operator.ts';

const body = z.object({ organizationId: z.string() });

/** Deletes an organization with its keys, bindings, attributions and webhooks. */
export const deleteOrganization: KeyCommand<z.infer<typeof body>, null> = {
  type: 'organization.delete',
  action: 'organization.delete',
  by: 'admin',
  body,
  decide(state, { organizationId }, { actor }) {
    const refusal = refuseUnlessOperator(state, actor);
    if (refusal) return refusal;
    if (!state.organizations.has(organizationId)) return refused('not_found', 'no such organization');
    if (organizationId === state.firstOrganizationId)
      return refused('conflict', 'the first organization cannot be deleted');
    const revokedKeyIds = dropOrganization(state, organizationId);
    return accepted(null, { orgId: organizationId, targetId: organizationId, revokedKeyIds });
  },
};
