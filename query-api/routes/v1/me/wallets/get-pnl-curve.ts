import { z } from 'zod';
import { walletOf } from '#schemas/domain/control/lookups';
import { ApiError } from '#schemas/errors';
import { walletPnlCurve, walletPnlCurveSchema, windowParameter } from '../../../../accounts/wallet-pnl-curve.ts';
import { idPath } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';

export const getWalletPnlCurve = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/wallets/:id/pnl-curve',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  upstreamStatuses: [429, 502],
  summary: 'What the account of a bound wallet gained since the start of a window, as its venue states it.',
  params: idPath,
  query: z.object({ window: windowParameter }),
  response: walletPnlCurveSchema,
  handle: ({ params, query, caller }, { control, ingest }) => {
    const wallet = walletOf(control.state, caller, params.id);
    if (!wallet) throw new ApiError('not_found', 'no such wallet');
    return walletPnlCurve(wallet, query.window, ingest);
  },
});
