import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import {
  walletPnlCurve,
  walletPnlCurveSchema,
  windowField,
  windowParameter,
} from '../../../../accounts/wallet-pnl-curve.ts';
import { walletsByAddress } from '../../../../queries/select-wallets.ts';
import { defineCallerRoute } from '../../../route.ts';
import { addressSelection } from '../wallet-selection.ts';
import { walletWarningSchema } from './wallet-shapes.ts';

export const getWalletsPnlCurve = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/wallets/pnl-curve',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  summary: 'The PnL curves of bound wallets by address; without an address those of all wallets.',
  params: z.object({}),
  query: z.object({ ...addressSelection, window: windowParameter }),
  response: z.object({
    window: windowField,
    wallets: z.array(walletPnlCurveSchema).describe('Every binding of the addresses whose series could be read.'),
    warnings: z.array(walletWarningSchema).describe('Addresses that are no wallet, and wallets that are left out.'),
  }),
  async handle({ query, caller }, { control, ingest }) {
    const { walletAddress, window } = query;
    const { wallets, unknown } = walletsByAddress(control.state, caller, walletAddress);
    const results = await Promise.all(
      wallets.map(async (wallet) => {
        try {
          return { curve: await walletPnlCurve(wallet, window, ingest) };
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return { warning: { code: error.code, address: wallet.address, message: error.message } };
        }
      }),
    );
    return {
      window,
      wallets: results.flatMap(({ curve }) => curve ?? []),
      warnings: [
        ...unknown.map((address) => ({ code: 'not_found', address, message: 'no wallet has this address' })),
        ...results.flatMap(({ warning }) => warning ?? []),
      ],
    };
  },
});
