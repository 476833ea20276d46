/** Which accounts are followed: those that a live binding names, once for all organizations. */
import { bindWallet } from '#schemas/domain/control/commands/bind-wallet';
import { deleteOrganization } from '#schemas/domain/control/commands/delete-organization';
import { unbindWallet } from '#schemas/domain/control/commands/unbind-wallet';
import { reduceControl } from '#schemas/domain/control/reduce';
import type { ControlState } from '#schemas/domain/control/state';
import type { ControlChange } from '#schemas/topics/control';
import { accountName, type ProviderFamily, providerFamily } from '#schemas/venues/accounts';

/** What a stage does when it begins or stops to follow an account. */
export interface Following {
  /** The accounts that are followed, by name. */
  readonly followed: ReadonlyMap<string, unknown>;
  start(account: string, family: ProviderFamily, address: string): void;
  end(account: string): void;
}

/** Processes a change of the control side. Suspending an organization changes nothing: its bindings remain. */
export function followAccounts(
  control: ControlState,
  change: ControlChange,
  { followed, start, end }: Following,
): void {
  const verdict = reduceControl(control, change);
  if (!verdict.ok || verdict.replayed) return;
  if (change.type === bindWallet.type) {
    const wallet = control.wallets.get(verdict.audit[0]!.targetId);
    if (!wallet) return;
    const family = providerFamily(wallet.provider);
    const account = accountName(family, wallet.address);
    // The address of a sandbox binding is not followed.
    if (isBound(control, account) && !followed.has(account)) start(account, family, wallet.address);
  }
  if (change.type === unbindWallet.type || change.type === deleteOrganization.type)
    for (const account of [...followed.keys()]) if (!isBound(control, account)) end(account);
}

function isBound({ walletsByAddress }: ControlState, account: string): boolean {
  const [family, address] = account.split(':') as [ProviderFamily, string];
  return walletsByAddress.get(address)?.some(({ provider }) => providerFamily(provider) === family) === true;
}
