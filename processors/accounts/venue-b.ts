import type { Emit, StageRecord } from '#infra/stages/stage';
import { valueVenueBAccount } from '#schemas/domain/accounts/venue-b-value';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { accountValueTopic, type VenueBAcquisition } from '#schemas/topics/accounts';
import type { AccountsState } from './state.ts';

export function onVenueBAcquisition(
  _state: AccountsState,
  { value }: StageRecord<VenueBAcquisition>,
  emit: Emit,
): void {
  const { account, receivedAt, asOf, positions, cash } = value;
  const priced = positions.map(({ asset, size, price }) => ({
    asset,
    size: parseDecimal(size),
    price: parseDecimal(price),
  }));
  const { valueUsd, availableUsd, navUsd } = valueVenueBAccount(priced, cash.map(parseDecimal));
  emit(accountValueTopic, account, {
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
  });
}
