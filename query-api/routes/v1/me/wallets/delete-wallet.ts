import { z } from 'zod';
import { unbindWallet } from '#schemas/domain/control/commands/unbind-wallet';
import { idPath } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';

export const deleteWallet = defineCallerRoute({
  method: 'DELETE',
  path: '/v1/me/wallets/:id',
  scope: 'admin',
  sku: 'api.request',
  status: 204,
  summary: 'Unbinds a wallet.',
  params: idPath,
  query: z.object({}),
  response: z.null(),
  handle: async ({ params, command }) => (await command(unbindWallet, { walletId: params.id })).result,
});
