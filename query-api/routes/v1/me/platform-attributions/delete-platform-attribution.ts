import { z } from 'zod';
import { deletePlatformAttribution as deletion } from '#schemas/domain/control/commands/delete-platform-attribution';
import { idPath } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';

export const deletePlatformAttribution = defineCallerRoute({
  method: 'DELETE',
  path: '/v1/me/platform-attributions/:id',
  scope: 'admin',
  sku: 'api.request',
  status: 204,
  summary: 'Removes a registered builder.',
  params: idPath,
  query: z.object({}),
  response: z.null(),
  handle: async ({ params, command }) => (await command(deletion, { attributionId: params.id })).result,
});
