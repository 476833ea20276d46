import type { Emit, StageRecord } from '#infra/stages/stage';
import { valueVenueBAccount } from '#schemas/domain/accounts/venue-b-value';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { type AccountValue, accountValueTopic, type VenueBAcquisition } from '#schemas/topics/accounts';
import { storeSnapshot } from './snapshots.ts';
import type { AccountsState } from './state.ts';

export function onVenueBAcquisition(
  state: AccountsState,
  { value: acquisition }: StageRecord<VenueBAcquisition>,
  emit: Emit,
): void {
  const { account, receivedAt, asOf, positions, cash } = acquisition;
  const priced = positions.map(({ asset, size, price }) => ({
    asset,
    size: parseDecimal(size),
    price: parseDecimal(price),
  }));
  const { valueUsd, availableUsd, navUsd } = valueVenueBAccount(priced, cash.map(parseDecimal));
  const value: AccountValue = {
    account,
    receivedAt,
    asOf: asOf ?? receivedAt,
    source: null,
    unpriced: null,
    failure: null,
    mode: null,
    valueUsd: valueUsd === null ? null : formatDecimal(valueUsd),
    availableUsd: formatDecimal(availableUsd),
    navUsd: formatDecimal(navUsd),
    unrealizedPnlUsd: null,
    buckets: [],
    spotBalances: [],
    perpByDex: [],
  };
  emit(accountValueTopic, account, value);
  storeSnapshot(state, value, emit);
}
