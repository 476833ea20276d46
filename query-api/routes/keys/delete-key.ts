import { z } from 'zod';
import { revokeKey } from '#schemas/domain/control/commands/revoke-key';
import { idPath } from '../id-path.ts';
import { defineCallerRoute } from '../route.ts';

export const deleteKey = defineCallerRoute({
  method: 'DELETE',
  path: '/keys/:id',
  scope: 'admin',
  sku: null,
  status: 204,
  summary: 'Revokes a key permanently and closes its sockets.',
  params: idPath,
  query: z.object({}),
  response: z.null(),
  handle: async ({ params, command }) => (await command(revokeKey, { keyId: params.id })).result,
});
