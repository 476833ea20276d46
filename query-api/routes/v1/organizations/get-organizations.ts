import { z } from 'zod';
import { refuseUnlessOperator } from '#schemas/domain/control/operator';
import { organizationRows } from '#schemas/domain/control/rows';
import { ApiError } from '#schemas/errors';
import { defineCallerRoute } from '../../route.ts';
import { organizationSchema } from './organization-shapes.ts';

export const getOrganizations = defineCallerRoute({
  method: 'GET',
  path: '/v1/organizations',
  scope: 'admin',
  sku: null,
  summary: 'Lists all organizations; only for keys of the first organization.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({ organizations: z.array(organizationSchema).describe('All organizations.') }),
  handle({ caller }, { control }) {
    const refusal = refuseUnlessOperator(control.state, caller);
    if (refusal) throw new ApiError(refusal.code, refusal.message);
    return { organizations: organizationRows(control.state) };
  },
});
