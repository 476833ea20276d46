import { z } from 'zod';
import { walletOf } from '#schemas/domain/control/lookups';
import { ApiError } from '#schemas/errors';
import { walletNav, walletNavSchema } from '../../../../accounts/wallet-nav.ts';
import { idPath } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';

export const getWalletNav = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/wallets/:id/nav',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  upstreamStatuses: [429, 502],
  summary: 'What the account of a bound wallet is worth now, at most 20 s old.',
  params: idPath,
  query: z.object({}),
  response: walletNavSchema,
  handle: ({ params, caller, signal }, dependencies) => {
    const wallet = walletOf(dependencies.control.state, caller, params.id);
    if (!wallet) throw new ApiError('not_found', 'no such wallet');
    return walletNav(wallet, caller, signal, dependencies);
  },
});
