/** What by-address routes return: something about each wallet, and a warning for each address or wallet without it. */
import type { ControlState, Wallet } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { walletsByAddress } from '../queries/select-wallets.ts';
import type { Caller } from '../routes/route.ts';

export interface AddressWarning {
  readonly code: string;
  readonly address: string;
  readonly message: string;
}

/** @param addresses in lower case; without them every wallet is read. @param read rejects with an `ApiError`. */
export async function readByAddress<T>(
  control: ControlState,
  caller: Caller,
  addresses: readonly string[] | undefined,
  read: (wallet: Wallet) => Promise<T>,
): Promise<{ readonly wallets: T[]; readonly warnings: AddressWarning[] }> {
  const { wallets, unknown } = walletsByAddress(control, caller, addresses);
  const warnings: AddressWarning[] = unknown.map((address) => ({
    code: 'not_found',
    address,
    message: 'no wallet has this address',
  }));
  const results = await Promise.all(
    wallets.map(async (wallet) => {
      try {
        return [await read(wallet)];
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        warnings.push({ code: error.code, address: wallet.address, message: error.message });
        return [];
      }
    }),
  );
  return { wallets: results.flat(), warnings };
}
