/** The current value of the account of a wallet, where it is one input of several. */
import type { Wallet } from '#schemas/domain/control/state';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import { ApiError } from '#schemas/errors';
import type { AccountValue } from '#schemas/topics/accounts';
import { accountName, providerFamily } from '#schemas/venues/accounts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { readAccountValue } from './read-account-value.ts';

/** A value that is at most this old is current (contract, Money: NAV, curves, returns). */
const MAX_AGE_MS = 20_000;

export interface CurrentValue {
  /** The time of the value, unix ms. */
  readonly ts: number;
  readonly nav: Decimal;
}

/** Null if the account has no value or cannot be read. Sandbox wallets have those of the data set, whatever their age. */
export async function currentValue(
  { provider, address }: Wallet,
  caller: Caller,
  signal: AbortSignal,
  dependencies: Pick<Dependencies, 'views' | 'ingest'>,
): Promise<CurrentValue | null> {
  const family = providerFamily(provider);
  if (caller.sandbox) return currentOf(dependencies.views.accountValues.get(accountName(family, address)));
  try {
    return currentOf(await readAccountValue({ family, address, maxAgeMs: MAX_AGE_MS, signal }, dependencies));
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function currentOf(value: AccountValue | undefined): CurrentValue | null {
  if (!value || value.navUsd === null) return null;
  return { ts: value.asOf, nav: parseDecimal(value.navUsd) };
}
