import { z } from 'zod';
import { readByAddress } from '../../../../accounts/by-address.ts';
import {
  walletPnlCurve,
  walletPnlCurveSchema,
  windowField,
  windowParameter,
} from '../../../../accounts/wallet-pnl-curve.ts';
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
    const read = await readByAddress(control.state, caller, walletAddress, (wallet) =>
      walletPnlCurve(wallet, window, ingest),
    );
    return { window, ...read };
  },
});
