/** What an account is worth is unknown after an acquisition that cannot be valued: the former value is not the newest one. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { type AccountValue, accountValueTopic, type FailedAcquisition } from '#schemas/topics/accounts';
import type { AccountsState } from './state.ts';

export function onFailedAcquisition(
  _state: AccountsState,
  { value: { account, receivedAt, reason } }: StageRecord<FailedAcquisition>,
  emit: Emit,
): void {
  const head = { account, receivedAt, asOf: receivedAt, source: null, unpriced: null, failure: reason, mode: null };
  emit(accountValueTopic, account, { ...head, ...NOTHING });
}

/** The figures of an account without a value. */
export const NOTHING = {
  valueUsd: null,
  availableUsd: null,
  navUsd: null,
  unrealizedPnlUsd: null,
  buckets: [],
  spotBalances: [],
  perpByDex: [],
} satisfies Partial<AccountValue>;
