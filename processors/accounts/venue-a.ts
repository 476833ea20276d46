import type { Emit, StageRecord } from '#infra/stages/stage';
import type { VenueAAccount } from '#schemas/domain/accounts/venue-a-account';
import { BUCKET_KINDS, type VenueAPrices, valueVenueAAccount } from '#schemas/domain/accounts/venue-a-value';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { type AccountValue, accountValueTopic, type VenueAAcquisition } from '#schemas/topics/accounts';
import { settledPrices } from './settled-outcomes.ts';
import { takeSnapshot } from './snapshots.ts';
import type { AccountsState } from './state.ts';

export function onVenueAAcquisition(
  state: AccountsState,
  { value: acquisition }: StageRecord<VenueAAcquisition>,
  emit: Emit,
): void {
  const { account, receivedAt, asOf, source } = acquisition;
  const prices = pricesOf(acquisition, settledPrices(state, acquisition));
  const valuation = valueVenueAAccount(accountOf(acquisition), prices);
  const head = { account, receivedAt, asOf, source, mode: acquisition.mode };
  const value = { ...head, ...figuresOf(valuation) };
  emit(accountValueTopic, account, value);
  takeSnapshot(state, value, emit);
}

function accountOf({ mode, dexes, balances, vaultUsd, staked, asOf }: VenueAAcquisition): VenueAAccount {
  return {
    mode,
    dexes: dexes.map(({ dex, accountValue, withdrawable, marginUsed, unrealizedPnl }) => ({
      dex,
      accountValue: parseDecimal(accountValue),
      withdrawable: parseDecimal(withdrawable),
      marginUsed: parseDecimal(marginUsed),
      unrealizedPnl: parseDecimal(unrealizedPnl),
    })),
    balances: balances.map(({ coin, token, total, hold }) => ({
      coin,
      token,
      total: parseDecimal(total),
      hold: parseDecimal(hold),
    })),
    vaultUsd: parseDecimal(vaultUsd),
    staked: parseDecimal(staked),
    time: asOf,
  };
}

function pricesOf({ dexes, prices }: VenueAAcquisition, settled: ReturnType<typeof settledPrices>): VenueAPrices {
  return {
    collateralTokens: new Map(
      dexes.flatMap(({ dex, collateralToken }) => (collateralToken === null ? [] : [[dex, collateralToken]])),
    ),
    prices: new Map([...prices.map(({ key, usd }) => [key, parseDecimal(usd)] as const), ...settled]),
  };
}

function figuresOf(
  valuation: ReturnType<typeof valueVenueAAccount>,
): Omit<AccountValue, 'account' | 'receivedAt' | 'asOf' | 'source' | 'mode'> {
  const { value } = valuation;
  if (value === null) {
    const nothing = { valueUsd: null, availableUsd: null, navUsd: null, unrealizedPnlUsd: null };
    return { unpriced: valuation.unpriced, ...nothing, buckets: [], spotBalances: [], perpByDex: [] };
  }
  return {
    unpriced: null,
    valueUsd: formatDecimal(value.valueUsd),
    availableUsd: formatDecimal(value.availableUsd),
    navUsd: formatDecimal(value.valueUsd),
    unrealizedPnlUsd: formatDecimal(value.unrealizedPnlUsd),
    buckets: BUCKET_KINDS.map((kind) => ({ kind, usd: formatDecimal(value.buckets[kind]) })),
    spotBalances: value.spotBalances.map(({ coin, total, hold, usd }) => ({
      coin,
      total: formatDecimal(total),
      hold: formatDecimal(hold),
      usd: formatDecimal(usd),
    })),
    perpByDex: value.perpByDex.map(({ dex, accountValueUsd, unrealizedPnlUsd }) => ({
      dex,
      accountValueUsd: formatDecimal(accountValueUsd),
      unrealizedPnlUsd: formatDecimal(unrealizedPnlUsd),
    })),
  };
}
