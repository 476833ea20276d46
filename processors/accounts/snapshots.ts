/** Takes the snapshot of each hour: the first value of a followed account within ten minutes of the mark. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { snapshotHour } from '#schemas/domain/returns/snapshot-hour';
import type { AccountValue } from '#schemas/topics/accounts';
import type { ControlChange } from '#schemas/topics/control';
import { type NavSnapshot, navSnapshotTopic, snapshotHeadTopic } from '#schemas/topics/nav-snapshots';
import { followAccounts } from '../shared/followed-accounts.ts';
import type { AccountsState } from './state.ts';

/** Only accounts that are bound at the time of the value have snapshots. */
export function onChange(
  { control, followed }: AccountsState,
  { value, receivedAt }: StageRecord<ControlChange>,
  emit: Emit,
): void {
  followAccounts(control, value, {
    followed,
    start(account) {
      followed.set(account, { ledger: receivedAt, snapshotHour: null });
      emit(snapshotHeadTopic, account, { account, ledger: receivedAt, newest: null });
    },
    end(account) {
      followed.delete(account);
      emit.remove(snapshotHeadTopic, account);
    },
  });
}

/** Stores a value as the snapshot of its hour if it is the first one; of an earlier hour it changes nothing. */
export function storeSnapshot({ followed }: AccountsState, value: AccountValue, emit: Emit): void {
  const { account, asOf, receivedAt, navUsd, valueUsd, availableUsd, unrealizedPnlUsd } = value;
  const known = followed.get(account);
  const hour = snapshotHour(asOf);
  if (!known || hour === null || navUsd === null || hour <= (known.snapshotHour ?? 0)) return;
  known.snapshotHour = hour;
  const { ledger } = known;
  const figures = { navUsd, valueUsd, availableUsd, unrealizedPnlUsd };
  const snapshot: NavSnapshot = { account, ledger, hour, asOf, receivedAt, ...figures };
  emit(navSnapshotTopic, account, snapshot);
  emit(snapshotHeadTopic, account, { account, ledger, newest: snapshot });
}
