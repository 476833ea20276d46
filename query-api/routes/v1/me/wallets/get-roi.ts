import { z } from 'zod';
import { walletOf } from '#schemas/domain/control/lookups';
import { ApiError } from '#schemas/errors';
import { timeParameter } from '#schemas/http/parameters';
import { walletRoi, walletRoiSchema } from '../../../../accounts/wallet-roi.ts';
import { idPath } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';

export const getWalletRoi = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/wallets/:id/roi',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  upstreamStatuses: [429, 502],
  summary: 'What the account of a bound wallet returned over a window, with the flows that this takes into account.',
  params: idPath,
  query: z.object({
    from: timeParameter.describe('Start; unix ms or ISO-8601. Default: the first known value.').optional(),
    to: timeParameter.describe('End; unix ms or ISO-8601. Default: the current value.').optional(),
  }),
  response: walletRoiSchema,
  handle: ({ params, query, caller, signal }, dependencies) => {
    const wallet = walletOf(dependencies.control.state, caller, params.id);
    if (!wallet) throw new ApiError('not_found', 'no such wallet');
    const window = { from: query.from ?? null, to: query.to ?? null };
    if (window.from !== null && window.to !== null && window.from > window.to)
      throw new ApiError('validation_failed', 'from: must not be after to');
    return walletRoi(wallet, window, caller, signal, dependencies);
  },
});
