/** A backfill concerns an account that a live binding of any organization names, and ends with the last one. */
import { pause } from '#infra/runtime/pause';
import { WALLET_NOT_BOUND } from '#schemas/requests/history-backfill';
import { ChainRpcError } from '../chain/chain-rpc.ts';
import type { CollateralAccounts } from '../chain/collateral-accounts.ts';

/** How often a scan that waits for the follower checks. */
export const FOLLOWED_EVERY_MS = 250;

/** No live binding names the account of a backfill. */
export class AccountNotBoundError extends Error {
  override name = 'AccountNotBoundError';
  readonly code = WALLET_NOT_BOUND;
  readonly canRetry = false;
  constructor() {
    super('no live binding names the account of the backfill');
  }
}

/** An account whose transfers are followed. */
export interface FollowedAccount {
  /** A block of which all later transfers are followed. */
  readonly block: number;
  /** Event time of the binding since which the account is followed: which ledger of it. */
  readonly ledger: number;
  /** Throws an `AccountNotBoundError` if the binding has ended, also if there is a later one. */
  assertBound(): void;
}

export interface FollowWait {
  /** True if an earlier process saw the binding: then a missing or a later one has ended it. A new one may not be known yet. */
  readonly wasBound: boolean;
  /** When the backfill was requested, unix ms. */
  readonly startedAt: number;
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until the transfers of an account are followed, so that no block lies between those that are scanned and those that
 * are followed. Rejects with an `AccountNotBoundError` if no live binding names the account, with a `ChainRpcError` if its
 * transfers are not followed in time, and with the signal's reason.
 */
export async function whenFollowed(
  accounts: Pick<CollateralAccounts, 'readFrom' | 'boundSince'>,
  account: string,
  { wasBound, startedAt, withinMs, signal }: FollowWait,
): Promise<FollowedAccount> {
  const deadline = performance.now() + withinMs;
  let isKnown = wasBound;
  for (;;) {
    const ledger = accounts.boundSince(account);
    // What an earlier process found is not in a ledger that began later.
    if (isKnown && (ledger === null || (wasBound && ledger > startedAt))) throw new AccountNotBoundError();
    isKnown ||= ledger !== null;
    const known = accounts.readFrom(account);
    if (known && known.ledger === ledger)
      return {
        block: known.block,
        ledger,
        assertBound() {
          if (accounts.boundSince(account) !== ledger) throw new AccountNotBoundError();
        },
      };
    const isLate = performance.now() > deadline;
    if (ledger === null && isLate) throw new AccountNotBoundError();
    if (isLate) throw new ChainRpcError('the transfers of the account are not followed', false);
    if (!(await pause(FOLLOWED_EVERY_MS, signal))) signal.throwIfAborted();
  }
}
