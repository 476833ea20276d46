import type { Emit, StageRecord } from '#infra/stages/stage';
import type { VenueAAccount } from '#schemas/domain/accounts/venue-a-account';
import { BUCKET_KINDS, type VenueAPrices, valueVenueAAccount } from '#schemas/domain/accounts/venue-a-value';
import { canonicalDecimal, type Decimal, DecimalError, formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { type AccountValue, accountValueTopic, type VenueAAcquisition } from '#schemas/topics/accounts';
import { NOTHING } from './failed.ts';
import { settledPrices } from './settled-outcomes.ts';
import { storeSnapshot } from './snapshots.ts';
import type { AccountsState } from './state.ts';

export function onVenueAAcquisition(
  state: AccountsState,
  { value: acquisition }: StageRecord<VenueAAcquisition>,
  emit: Emit,
): void {
  const { account, receivedAt, asOf, source } = acquisition;
  const prices = pricesOf(acquisition, settledPrices(state, acquisition));
  const head = { account, receivedAt, asOf, source, mode: acquisition.mode };
  try {
    const valuation = valueVenueAAccount(accountOf(acquisition), prices);
    const value = { ...head, ...figuresOf(valuation) };
    emit(accountValueTopic, account, value);
    storeSnapshot(state, value, emit);
  } catch (error) {
    if (!(error instanceof DecimalError)) throw error;
    emit.deadLetter('impossible_amounts', error.message);
    emit(accountValueTopic, account, { ...head, unpriced: null, failure: error.message, ...NOTHING });
  }
}

/** Throws a `DecimalError` for a figure that no decimal holds: products and sums can be larger than what they consist of. */
function textOf(figure: Decimal): string {
  return canonicalDecimal(formatDecimal(figure));
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
    return { unpriced: valuation.unpriced, failure: null, ...NOTHING };
  }
  return {
    unpriced: null,
    failure: null,
    valueUsd: textOf(value.valueUsd),
    availableUsd: textOf(value.availableUsd),
    navUsd: textOf(value.valueUsd),
    unrealizedPnlUsd: textOf(value.unrealizedPnlUsd),
    buckets: BUCKET_KINDS.map((kind) => ({ kind, usd: textOf(value.buckets[kind]) })),
    spotBalances: value.spotBalances.map(({ coin, total, hold, usd }) => ({
      coin,
      total: textOf(total),
      hold: textOf(hold),
      usd: textOf(usd),
    })),
    perpByDex: value.perpByDex.map(({ dex, accountValueUsd, unrealizedPnlUsd }) => ({
      dex,
      accountValueUsd: textOf(accountValueUsd),
      unrealizedPnlUsd: textOf(unrealizedPnlUsd),
    })),
  };
}
