/** Follows an account while any live binding names it: its ledger begins with the first and ends with the last one. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { bindWallet } from '#schemas/domain/control/commands/bind-wallet';
import { deleteOrganization } from '#schemas/domain/control/commands/delete-organization';
import { unbindWallet } from '#schemas/domain/control/commands/unbind-wallet';
import { reduceControl } from '#schemas/domain/control/reduce';
import type { ControlState } from '#schemas/domain/control/state';
import type { ControlChange } from '#schemas/topics/control';
import { accountName, type ProviderFamily, providerFamily } from '#schemas/venues/accounts';
import { endAccount, startAccount } from './change-account.ts';
import type { LedgersState } from './state.ts';

/** Suspending an organization changes nothing: its bindings remain. */
export function onChange(state: LedgersState, { value, receivedAt }: StageRecord<ControlChange>, emit: Emit): void {
  const { control, accounts } = state;
  const verdict = reduceControl(control, value);
  if (!verdict.ok || verdict.replayed) return;
  if (value.type === bindWallet.type) {
    const wallet = control.wallets.get(verdict.audit[0]!.targetId);
    if (wallet) {
      const family = providerFamily(wallet.provider);
      const account = accountName(family, wallet.address);
      // The address of a sandbox binding is not followed.
      if (isFollowed(control, account) && !accounts.has(account)) startAccount(state, account, receivedAt, emit);
    }
  }
  if (value.type === unbindWallet.type || value.type === deleteOrganization.type)
    for (const account of [...accounts.keys()]) if (!isFollowed(control, account)) endAccount(state, account, emit);
}

function isFollowed({ walletsByAddress }: ControlState, account: string): boolean {
  const [family, address] = account.split(':') as [ProviderFamily, string];
  return walletsByAddress.get(address)?.some(({ provider }) => providerFamily(provider) === family) === true;
}
