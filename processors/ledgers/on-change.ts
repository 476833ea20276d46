/** Follows an account while any live binding names it: its ledger begins with the first and ends with the last one. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { bindWallet } from '#schemas/domain/control/commands/bind-wallet';
import { deleteOrganization } from '#schemas/domain/control/commands/delete-organization';
import { unbindWallet } from '#schemas/domain/control/commands/unbind-wallet';
import { reduceControl } from '#schemas/domain/control/reduce';
import type { ControlState } from '#schemas/domain/control/state';
import type { ControlChange } from '#schemas/topics/control';
import { covers } from '#schemas/venues/accounts';
import { endAccount, startAccount } from './change-account.ts';
import type { LedgersState } from './state.ts';

/** Suspending an organization changes nothing: its bindings remain. */
export function onChange(state: LedgersState, { value, receivedAt }: StageRecord<ControlChange>, emit: Emit): void {
  const { control, accounts } = state;
  const verdict = reduceControl(control, value);
  if (!verdict.ok || verdict.replayed) return;
  if (value.type === bindWallet.type) {
    const address = control.wallets.get(verdict.audit[0]!.targetId)?.address;
    if (address !== undefined && isFollowed(control, address) && !accounts.has(address))
      startAccount(state, address, receivedAt, emit);
  }
  if (value.type === unbindWallet.type || value.type === deleteOrganization.type)
    for (const address of [...accounts.keys()]) if (!isFollowed(control, address)) endAccount(state, address, emit);
}

function isFollowed({ walletsByAddress }: ControlState, address: string): boolean {
  return walletsByAddress.get(address)?.some(({ provider }) => covers(provider, 'venue_b')) === true;
}
