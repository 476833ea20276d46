/** Follows an account while any live binding names it: its ledger begins with the first and ends with the last one. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import type { ControlChange } from '#schemas/topics/control';
import { followAccounts } from '../shared/followed-accounts.ts';
import { endAccount, startAccount } from './change-account.ts';
import type { LedgersState } from './state.ts';

export function onChange(state: LedgersState, { value, receivedAt }: StageRecord<ControlChange>, emit: Emit): void {
  followAccounts(state.control, value, {
    followed: state.accounts,
    start: (account) => startAccount(state, account, receivedAt, emit),
    end: (account) => endAccount(state, account, emit),
  });
}
