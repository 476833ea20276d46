import { z } from 'zod';
import { walletOf } from '#schemas/domain/control/lookups';
import { ApiError } from '#schemas/errors';
import { FLOWS_WAIT_MS, walletNavCurve, walletNavCurveSchema } from '../../../../accounts/wallet-nav-curve.ts';
import { windowParameter } from '../../../../accounts/wallet-pnl-curve.ts';
import { idPath } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';

export const getWalletNavCurve = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/wallets/:id/nav-curve',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  upstreamStatuses: [429, 502],
  summary: 'What the account of a bound wallet was worth at each hour of a window, and what was deposited.',
  params: idPath,
  query: z.object({ window: windowParameter }),
  response: walletNavCurveSchema,
  handle: ({ params, query, caller, signal }, dependencies) => {
    const wallet = walletOf(dependencies.control.state, caller, params.id);
    if (!wallet) throw new ApiError('not_found', 'no such wallet');
    const read = { caller, signal, flowsUntil: Date.now() + FLOWS_WAIT_MS };
    return walletNavCurve(wallet, query.window, read, dependencies);
  },
});
