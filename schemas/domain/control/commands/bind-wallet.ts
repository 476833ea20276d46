import { z } from 'zod';
import { accepted, type KeyCommand, refused } from '../command.ts';
import { accountProviderSchema, addressSchema, idSchema, labelSchema, walletProvider } from '../fields.ts';
import { pairName, putWallet } from '../indices.ts';
import { ownerName } from '../owner.ts';
import { type WalletBinding, walletRow } from '../rows.ts';

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
  decide(state, { walletId, provider: asked, address: given, label }, { at, actor }) {
    const { orgId, sandbox } = actor;
    const [provider, address] = [walletProvider(asked), given.toLowerCase()];
    if (state.walletsByOwner.get(ownerName(actor))?.has(pairName(provider, address)))
      return refused('conflict', 'address: is bound for this provider already');
    if (state.wallets.has(walletId)) return refused('conflict', 'walletId: is taken');
    const wallet = { id: walletId, orgId, sandbox, provider, address, label, createdAt: at };
    putWallet(state, wallet);
    return accepted(walletRow(wallet), { orgId, targetId: walletId });
  },
};
