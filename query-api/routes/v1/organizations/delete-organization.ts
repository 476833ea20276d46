import { z } from 'zod';
import { deleteOrganization as deletion } from '#schemas/domain/control/commands/delete-organization';
import { idPath } from '../../id-path.ts';
import { defineCallerRoute } from '../../route.ts';

export const deleteOrganization = defineCallerRoute({
  method: 'DELETE',
  path: '/v1/organizations/:id',
  scope: 'admin',
  sku: null,
  status: 204,
  summary: 'Deletes an organization with everything it owns; only for keys of the first organization.',
  params: idPath,
  query: z.object({}),
  response: z.null(),
  handle: async ({ params, command }) => (await command(deletion, { organizationId: params.id })).result,
});
