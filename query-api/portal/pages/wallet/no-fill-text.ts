import { providerFamily, type WalletProvider } from '#schemas/venues/accounts';

/** Why a wallet has no fill, and when it will have one: the venues differ in how much of its history is loaded. */
export function noFillText(provider: string): string {
  return providerFamily(provider as WalletProvider) === 'venue_a'
    ? 'No fill is known. The account has never traded, or its whole history is being loaded.'
    : 'No fill since the wallet was bound. One appears with its next trade, or after a backfill.';
}
