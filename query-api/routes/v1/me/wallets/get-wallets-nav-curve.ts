import { z } from 'zod';
import { readByAddress } from '../../../../accounts/by-address.ts';
import { FLOWS_WAIT_MS, walletNavCurve, walletNavCurveSchema } from '../../../../accounts/wallet-nav-curve.ts';
import { windowField, windowParameter } from '../../../../accounts/wallet-pnl-curve.ts';
import { defineCallerRoute } from '../../../route.ts';
import { addressSelection } from '../wallet-selection.ts';
import { walletWarningSchema } from './wallet-shapes.ts';

export const getWalletsNavCurve = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/wallets/nav-curve',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  summary: 'The NAV curves of bound wallets by address; without an address those of all wallets.',
  params: z.object({}),
  query: z.object({ ...addressSelection, window: windowParameter }),
  response: z.object({
    window: windowField,
    wallets: z.array(walletNavCurveSchema).describe('Every binding of the addresses whose curve could be read.'),
    warnings: z.array(walletWarningSchema).describe('Addresses that are no wallet, and wallets that are left out.'),
  }),
  async handle({ query, caller, signal }, dependencies) {
    const { walletAddress, window } = query;
    const read = { caller, signal, flowsUntil: Date.now() + FLOWS_WAIT_MS };
    const curves = await readByAddress(dependencies.control.state, caller, walletAddress, (wallet) =>
      walletNavCurve(wallet, window, read, dependencies),
    );
    return { window, ...curves };
  },
});
