import { z } from 'zod';
import { unbindWallet } from '#schemas/domain/control/commands/unbind-wallet';
import { idPath } from '../../../id-path.ts';
import { defineOwnRoute } from '../../../route.ts';

export const deleteWallet = defineOwnRoute({
  method: 'DELETE',
  path: '/v1/me/wallets/:id',
  scope: 'admin',
  sku: 'api.request',
  status: 204,
  summary: 'Removes a binding.',
  params: idPath,
  query: z.object({}),
  response: z.null(),
  handle: async ({ params, command }) => (await command(unbindWallet, { walletId: params.id })).result,
});
