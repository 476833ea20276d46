import { z } from 'zod';
import { revokeKey } from '#schemas/domain/control/commands/revoke-key';
import { idPath } from '../id-path.ts';
import { defineOwnRoute } from '../route.ts';

export const deleteKey = defineOwnRoute({
  method: 'DELETE',
  path: '/keys/:id',
  scope: 'admin',
  sku: null,
  status: 204,
  summary: 'Revokes a key for good; its sockets are closed.',
  params: idPath,
  query: z.object({}),
  response: z.null(),
  handle: async ({ params, command }) => (await command(revokeKey, { keyId: params.id })).result,
});
