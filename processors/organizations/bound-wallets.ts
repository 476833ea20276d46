/** Tracks from which trade on a binding counts: trades that came after it (specification, WebSocket stream). */

import { bindWallet } from '#schemas/domain/control/commands/bind-wallet';
import { changeOrganization } from '#schemas/domain/control/commands/change-organization';
import { deleteOrganization } from '#schemas/domain/control/commands/delete-organization';
import { unbindWallet } from '#schemas/domain/control/commands/unbind-wallet';
import type { AuditEntry } from '#schemas/domain/control/decision';
import { walletsBoundTo } from '#schemas/domain/control/lookups';
import { ownerName } from '#schemas/domain/control/owner';
import type { Wallet } from '#schemas/domain/control/state';
import type { Provider } from '#schemas/domain/providers';
import type { Trade } from '#schemas/topics/normalised';
import { currentArrivals } from './arrivals.ts';
import type { Arrivals, OrganizationsState } from './state.ts';

/** A bound wallet in the form that webhooks send. */
export interface Party {
  readonly walletId: string;
  readonly address: string;
  readonly role: 'maker' | 'taker';
}

/** Starts or ends bindings according to an accepted command and its audit entry. */
export function updateBindings(
  state: OrganizationsState,
  type: string,
  { orgId, targetId }: AuditEntry,
  now: number,
): void {
  switch (type) {
    case bindWallet.type: {
      const wallet = state.control.wallets.get(targetId);
      if (wallet && !wallet.sandbox) startBinding(state, wallet, currentArrivals(state.arrivals), now);
      return;
    }
    case unbindWallet.type: {
      const own = state.boundAfter.get(orgId);
      state.boundAt.delete(targetId);
      if (own?.delete(targetId) && own.size === 0) state.boundAfter.delete(orgId);
      return;
    }
    case changeOrganization.type:
      updateOrganizationBindings(state, targetId, now);
      return;
    case deleteOrganization.type:
      endBindings(state, targetId);
  }
}

/** Ends the bindings of an organization while it is suspended, and starts them again afterwards as if they were new. */
function updateOrganizationBindings(state: OrganizationsState, orgId: string, now: number): void {
  const { control, boundAfter } = state;
  if (control.organizations.get(orgId)!.suspended) {
    endBindings(state, orgId);
    return;
  }
  if (boundAfter.has(orgId)) return;
  const arrivals = currentArrivals(state.arrivals);
  const wallets = control.walletsByOwner.get(ownerName({ orgId, sandbox: false }))?.values() ?? [];
  for (const wallet of wallets) startBinding(state, wallet, arrivals, now);
}

function endBindings({ boundAfter, boundAt }: OrganizationsState, orgId: string): void {
  for (const walletId of boundAfter.get(orgId)?.keys() ?? []) boundAt.delete(walletId);
  boundAfter.delete(orgId);
}

function startBinding(
  { boundAfter, boundAt }: OrganizationsState,
  { id, orgId }: Wallet,
  arrivals: Arrivals,
  now: number,
): void {
  const own = boundAfter.get(orgId);
  if (own) own.set(id, arrivals);
  else boundAfter.set(orgId, new Map([[id, arrivals]]));
  boundAt.set(id, now);
}

/** Returns the bound wallets of a trade by organization; null for nearly all trades. */
export function boundPartiesOf(state: OrganizationsState, topic: string, trade: Trade): Map<string, Party[]> | null {
  const { walletsByAddress } = state.control;
  const { maker, taker } = trade;
  const isMaker = maker !== null && walletsByAddress.has(maker);
  const isTaker = taker !== null && walletsByAddress.has(taker);
  if (!isMaker && !isTaker) return null;
  const parties = new Map<string, Party[]>();
  const add = (address: string, role: Party['role']) => {
    for (const wallet of walletsBoundTo(state.control, trade.provider as Provider, address)) {
      if (!countsFor(state, wallet, topic, trade)) continue;
      const own = parties.get(wallet.orgId);
      const party = { walletId: wallet.id, address, role };
      if (own) own.push(party);
      else parties.set(wallet.orgId, [party]);
    }
  };
  if (isMaker) add(maker, 'maker');
  if (isTaker) add(taker, 'taker');
  return parties.size > 0 ? parties : null;
}

function countsFor(
  { boundAfter }: OrganizationsState,
  { id, orgId }: Wallet,
  topic: string,
  { arrival }: Trade,
): boolean {
  const after = boundAfter.get(orgId)?.get(id);
  return after !== undefined && arrival > (after[topic] ?? 0);
}
