/** What by-address routes return: something about each wallet, and a warning for each address or wallet without it. */
import { timeLimit } from '#infra/runtime/time-limit';
import type { ControlState, Wallet } from '#schemas/domain/control/state';
import { walletsByAddress } from '../queries/select-wallets.ts';
import type { Caller } from '../routes/route.ts';
import { READS_WITHIN_MS } from './read-account-value.ts';
import { readFewAtOnce } from './read-few-at-once.ts';

export interface AddressWarning {
  readonly code: string;
  readonly address: string;
  readonly message: string;
}

/**
 * Wallets and warnings are in the order of the wallets, after the addresses that are none.
 *
 * @param addresses in lower case; without them every wallet is read.
 * @param read rejects with an `ApiError`.
 * @param until aborts when no read is waited for any more; what is missing then has a warning.
 */
export async function readByAddress<T>(
  control: ControlState,
  caller: Caller,
  addresses: readonly string[] | undefined,
  read: (wallet: Wallet) => Promise<T>,
  until: AbortSignal = timeLimit(READS_WITHIN_MS),
): Promise<{ readonly wallets: T[]; readonly warnings: AddressWarning[] }> {
  const { wallets, unknown } = walletsByAddress(control, caller, addresses);
  const results = await readFewAtOnce(wallets, read, until);
  const warnings = unknown.map((address) => ({ code: 'not_found', address, message: 'no wallet has this address' }));
  return {
    wallets: results.flatMap((result) => ('value' in result ? [result.value] : [])),
    warnings: results.reduce<AddressWarning[]>((all, result, at) => {
      if ('failure' in result)
        all.push({ code: result.failure.code, address: wallets[at]!.address, message: result.failure.message });
      return all;
    }, warnings),
  };
}
