import { z } from 'zod';
import { walletProvider } from '../../../venues/accounts.ts';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { accountProviderSchema, addressSchema, idSchema, labelSchema } from '../fields.ts';
import { pairName, putWallet } from '../indices.ts';
import { ownerName } from '../owner.ts';
import { type WalletBinding, walletRow } from '../rows.ts';

/** Wallets of one organization; its live set and its sandbox are counted separately. */
export const WALLETS_MAX = 100_000;

const body = z.object({
  walletId: idSchema,
  provider: accountProviderSchema,
  address: addressSchema,
  label: labelSchema,
});

/** Binds an address: once for each owner and stored provider (specification, Wallet binding rules). */
export const bindWallet: KeyCommand<z.infer<typeof body>, WalletBinding> = {
  type: 'wallet.bind',
  action: 'me.wallet.create',
  by: 'admin',
  body,
  decide(state, { walletId, provider: requested, address: anyCase, label }, { at, actor }) {
    const { orgId, sandbox } = actor;
    const [provider, address] = [walletProvider(requested), anyCase.toLowerCase()];
    const own = state.walletsByOwner.get(ownerName(actor));
    if (own?.has(pairName(provider, address)))
      return refused('conflict', 'address: is already bound for this provider');
    if ((own?.size ?? 0) >= WALLETS_MAX)
      return refused('conflict', `an organization has at most ${WALLETS_MAX} wallets`);
    if (state.wallets.has(walletId)) return refused('conflict', 'walletId: is already in use');
    const wallet = { id: walletId, orgId, sandbox, provider, address, label, createdAt: at };
    putWallet(state, wallet);
    return accepted(walletRow(wallet), { orgId, targetId: walletId });
  },
};
