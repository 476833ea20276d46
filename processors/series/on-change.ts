/** Follows an account while any live binding names it: its series exist from the first to the last one. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { bindWallet } from '#schemas/domain/control/commands/bind-wallet';
import { deleteOrganization } from '#schemas/domain/control/commands/delete-organization';
import { unbindWallet } from '#schemas/domain/control/commands/unbind-wallet';
import { reduceControl } from '#schemas/domain/control/reduce';
import { SOURCES, WINDOWS } from '#schemas/domain/returns/series';
import { accountSeriesTopic, seriesKey } from '#schemas/topics/account-series';
import type { ControlChange } from '#schemas/topics/control';
import { accountName, type ProviderFamily, providerFamily } from '#schemas/venues/accounts';
import type { SeriesState } from './state.ts';

/** Suspending an organization changes nothing: its bindings remain. */
export function onChange({ control, followed }: SeriesState, { value }: StageRecord<ControlChange>, emit: Emit): void {
  const verdict = reduceControl(control, value);
  if (!verdict.ok || verdict.replayed) return;
  if (value.type === bindWallet.type) {
    const wallet = control.wallets.get(verdict.audit[0]!.targetId);
    if (wallet) follow(followed, providerFamily(wallet.provider), wallet.address, emit);
  }
  if (value.type !== unbindWallet.type && value.type !== deleteOrganization.type) return;
  const bound = new Set<string>();
  for (const { provider, address } of control.wallets.values())
    bound.add(accountName(providerFamily(provider), address));
  for (const account of [...followed]) if (!bound.has(account)) unfollow(followed, account, emit);
}

function follow(followed: Set<string>, family: ProviderFamily, address: string, emit: Emit): void {
  const account = accountName(family, address);
  if (followed.has(account)) return;
  followed.add(account);
  for (const window of WINDOWS) {
    const series = { account, window, source: SOURCES[family], observedAt: null, points: [] };
    emit(accountSeriesTopic, seriesKey(series), series);
  }
}

function unfollow(followed: Set<string>, account: string, emit: Emit): void {
  followed.delete(account);
  for (const window of WINDOWS) emit.remove(accountSeriesTopic, seriesKey({ account, window }));
}
