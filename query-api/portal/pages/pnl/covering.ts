/** Which bound wallets a token can belong to. */
import { covers, type WalletProvider } from '#schemas/venues/accounts';
import type { Leg, Wallet } from './shapes.ts';

/** The wallets whose bindings cover the provider of a leg, in the given order. */
export function walletsCovering(wallets: readonly Wallet[], { provider }: Pick<Leg, 'provider'>): Wallet[] {
  return wallets.filter((wallet) => covers(wallet.provider as WalletProvider, provider));
}
