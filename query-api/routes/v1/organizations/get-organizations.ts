import { z } from 'zod';
import { refuseOthersThanOperator } from '#schemas/domain/control/operator';
import { organizationRows } from '#schemas/domain/control/rows';
import { ApiError } from '#schemas/errors';
import { defineOwnRoute } from '../../route.ts';
import { organizationSchema } from './organization-shapes.ts';

export const getOrganizations = defineOwnRoute({
  method: 'GET',
  path: '/v1/organizations',
  scope: 'admin',
  sku: null,
  summary: 'Every organization; for keys of the first organization only.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({ organizations: z.array(organizationSchema) }),
  handle({ caller }, { control }) {
    const refusal = refuseOthersThanOperator(control.state, caller);
    if (refusal) throw new ApiError(refusal.code, refusal.message);
    return { organizations: organizationRows(control.state) };
  },
});
