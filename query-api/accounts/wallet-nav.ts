/** The NAV of a bound wallet (specification, NAV and PnL series). */
import { z } from 'zod';
import type { Wallet } from '#schemas/domain/control/state';
import { decimalNumberOrNull, isoTime, isoTimeSchema } from '#schemas/http/scalars';
import type { AccountValue } from '#schemas/topics/accounts';
import { accountName, providerFamily, WALLET_PROVIDERS } from '#schemas/venues/accounts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { readAccountValue } from './read-account-value.ts';

/** A value that is at most this old is returned again (contract, Money: NAV, curves, returns). */
const MAX_AGE_MS = 20_000;

export const walletNavSchema = z.object({
  walletId: z.string().describe('The bound wallet.'),
  provider: z.enum(WALLET_PROVIDERS).describe('The provider of the binding.'),
  address: z.string().describe('The address in lower case.'),
  navUsdc: z
    .number()
    .nullable()
    .describe('Liquidation value of the whole account; null for a sandbox wallet of an unknown address.'),
  cashUsdc: z.number().nullable().describe('Cash on chain (venue_b); null for other venues.'),
  positionsValueUsdc: z.number().nullable().describe('Positions (venue_b), 0 without any; null for other venues.'),
  asOf: isoTimeSchema.nullable().describe('The time of the state that is valued; null without a value.'),
});
export type WalletNav = z.infer<typeof walletNavSchema>;

/** Rejects with an `ApiError` if the account has no value. Sandbox wallets have those of the data set, whatever their age. */
export async function walletNav(
  wallet: Wallet,
  caller: Caller,
  signal: AbortSignal,
  dependencies: Pick<Dependencies, 'views' | 'ingest'>,
): Promise<WalletNav> {
  const { provider, address } = wallet;
  const family = providerFamily(provider);
  const value = caller.sandbox
    ? (dependencies.views.accountValues.get(accountName(family, address)) ?? null)
    : await readAccountValue({ family, address, maxAgeMs: MAX_AGE_MS, signal }, dependencies);
  const usd = value ? figuresOf(value) : { navUsdc: null, cashUsdc: null, positionsValueUsdc: null };
  return { walletId: wallet.id, provider, address, ...usd, asOf: value ? isoTime(value.asOf) : null };
}

function figuresOf({ account, navUsd, valueUsd, availableUsd }: AccountValue) {
  const isVenueB = account.startsWith('venue_b:');
  return {
    navUsdc: decimalNumberOrNull(navUsd),
    cashUsdc: isVenueB ? decimalNumberOrNull(availableUsd) : null,
    positionsValueUsdc: isVenueB && navUsd !== null ? decimalNumberOrNull(valueUsd ?? '0') : null,
  };
}
