import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { dropWallet } from '../indices.ts';
import { walletOf } from '../lookups.ts';

const body = z.object({ walletId: z.string() });

/** Removes a binding. */
export const unbindWallet: KeyCommand<z.infer<typeof body>, null> = {
  type: 'wallet.unbind',
  action: 'me.wallet.delete',
  by: 'admin',
  body,
  decide(state, { walletId }, { actor }) {
    const wallet = walletOf(state, actor, walletId);
    if (!wallet) return refused('not_found', 'no such wallet');
    dropWallet(state, wallet);
    return accepted(null, { orgId: actor.orgId, targetId: walletId });
  },
};
