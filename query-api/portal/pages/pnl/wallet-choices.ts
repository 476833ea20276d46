import { walletName } from '../wallet/wallet-name.ts';
import type { Wallet } from './shapes.ts';

/**
 * The choices of a wallet, with its name each. While the wallets are not known, the one that the address names is a
 * choice, too, so that nobody sees the figures of all wallets in its place.
 *
 * @param wallets null while they are not known.
 */
export function walletChoices(
  wallets: readonly Wallet[] | null,
  wanted: string | null,
): readonly (readonly [id: string, name: string])[] {
  const unknown = wallets === null && wanted !== null && wanted !== 'all' ? [[wanted, wanted] as const] : [];
  return [['all', 'All'], ...unknown, ...(wallets ?? []).map((wallet) => [wallet.id, walletName(wallet)] as const)];
}
