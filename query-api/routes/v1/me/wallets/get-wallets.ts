import { z } from 'zod';
import { walletRows } from '#schemas/domain/control/rows';
import { defineCallerRoute } from '../../../route.ts';
import { walletSchema } from './wallet-shapes.ts';

export const getWallets = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/wallets',
  scope: 'read',
  sku: 'api.request',
  summary: 'Lists the bound wallets.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({ wallets: z.array(walletSchema).describe('All of them.') }),
  handle: ({ caller }, { control }) => ({ wallets: walletRows(control.state, caller) }),
});
