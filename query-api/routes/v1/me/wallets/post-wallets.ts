import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { bindWallet } from '#schemas/domain/control/commands/bind-wallet';
import { accountProviderSchema, addressSchema, labelSchema } from '#schemas/domain/control/fields';
import { defineCallerRoute } from '../../../route.ts';
import { walletSchema } from './wallet-shapes.ts';

export const postWallets = defineCallerRoute({
  method: 'POST',
  path: '/v1/me/wallets',
  scope: 'admin',
  sku: 'api.request',
  status: 201,
  creates: true,
  summary: 'Binds a wallet by its public address.',
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({
    provider: accountProviderSchema.describe('A venue, or one of its providers.'),
    address: addressSchema.describe('0x and 40 hex characters.'),
    label: labelSchema.describe('A label.'),
  }),
  response: walletSchema,
  handle: async ({ body, command }) => (await command(bindWallet, { ...body, walletId: `wal_${randomUUID()}` })).result,
});
