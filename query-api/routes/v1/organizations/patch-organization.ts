import { z } from 'zod';
import { changeOrganization } from '#schemas/domain/control/commands/change-organization';
import { nameSchema } from '#schemas/domain/control/fields';
import { PLANS } from '#schemas/domain/control/state';
import { idPath } from '../../id-path.ts';
import { defineCallerRoute } from '../../route.ts';
import { organizationSchema } from './organization-shapes.ts';

export const patchOrganization = defineCallerRoute({
  method: 'PATCH',
  path: '/v1/organizations/:id',
  scope: 'admin',
  sku: null,
  summary: 'Renames, suspends or resumes an organization or changes its plan; only for keys of the first organization.',
  params: idPath,
  query: z.object({}),
  body: z.strictObject({
    name: nameSchema.optional().describe('A new name.'),
    plan: z.enum(PLANS).optional().describe('Another plan.'),
    suspended: z.boolean().optional().describe('True refuses its keys, false accepts them again.'),
  }),
  response: organizationSchema,
  handle: async ({ params, body, command }) =>
    (await command(changeOrganization, { ...body, organizationId: params.id })).result,
});
