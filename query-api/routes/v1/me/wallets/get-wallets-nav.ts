import { z } from 'zod';
import { readByAddress } from '../../../../accounts/by-address.ts';
import { walletNav, walletNavSchema } from '../../../../accounts/wallet-nav.ts';
import { defineCallerRoute } from '../../../route.ts';
import { addressSelection } from '../wallet-selection.ts';
import { walletWarningSchema } from './wallet-shapes.ts';

export const getWalletsNav = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/wallets/nav',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  summary: 'What the accounts of bound wallets are worth now, by address; without an address those of all wallets.',
  params: z.object({}),
  query: z.object(addressSelection),
  response: z.object({
    wallets: z.array(walletNavSchema).describe('Every binding of the addresses whose account has a value.'),
    warnings: z.array(walletWarningSchema).describe('Addresses that are no wallet, and wallets that are left out.'),
  }),
  handle: ({ query, caller, signal }, dependencies) =>
    readByAddress(dependencies.control.state, caller, query.walletAddress, (wallet) =>
      walletNav(wallet, caller, signal, dependencies),
    ),
});
