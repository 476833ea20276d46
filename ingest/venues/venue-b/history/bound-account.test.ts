import { describe, expect, it } from 'vitest';
import { CollateralAccounts } from '../chain/collateral-accounts.ts';
import { AccountNotBoundError, whenFollowed } from './bound-account.ts';

const ACCOUNT = `0x${'a'.repeat(40)}`;
const NAME = `venue_b:${ACCOUNT}`;
const { signal } = new AbortController();

function accountsWith(ledger: number | null) {
  const accounts = new CollateralAccounts();
  if (ledger !== null) accounts.record({ account: NAME, ledger });
  accounts.apply(7);
  return accounts;
}

describe('the account of a backfill', () => {
  it('is followed from the newest block on, while a live binding names it', async () => {
    const accounts = accountsWith(10);
    const { block, ledger, assertBound } = await whenFollowed(accounts, ACCOUNT, {
      wasBound: false,
      startedAt: 15,
      withinMs: 0,
      signal,
    });
    expect([block, ledger]).toEqual([7, 10]);
    expect(assertBound).not.toThrow();
    // Another organization still binds it: the coverage of its flows is stated again, and not removed.
    accounts.record({ account: NAME, ledger: 10 });
    expect(assertBound).not.toThrow();
    accounts.forget(NAME);
    expect(assertBound).toThrow(AccountNotBoundError);
  });

  it('is not that of a later binding, whose ledger begins anew', async () => {
    const accounts = accountsWith(10);
    const { assertBound } = await whenFollowed(accounts, ACCOUNT, {
      wasBound: false,
      startedAt: 15,
      withinMs: 0,
      signal,
    });
    accounts.forget(NAME);
    accounts.record({ account: NAME, ledger: 20 });
    expect(assertBound).toThrow(AccountNotBoundError);
  });

  it('is given up at once after a restart, if its last binding was removed', async () => {
    const waiting = whenFollowed(accountsWith(null), ACCOUNT, {
      wasBound: true,
      startedAt: 15,
      withinMs: 60_000,
      signal,
    });
    await expect(waiting).rejects.toThrow(AccountNotBoundError);
  });

  it('is given up after a restart, if a later binding names it: its ledger lacks what was found before', async () => {
    const terms = { startedAt: 15, withinMs: 0, signal };
    const waiting = whenFollowed(accountsWith(20), ACCOUNT, { wasBound: true, ...terms });
    await expect(waiting).rejects.toThrow(AccountNotBoundError);
    expect((await whenFollowed(accountsWith(10), ACCOUNT, { wasBound: true, ...terms })).ledger).toBe(10);
    // One that has not begun yet is wholly of the later binding.
    expect((await whenFollowed(accountsWith(20), ACCOUNT, { wasBound: false, ...terms })).ledger).toBe(20);
  });

  it('is waited for while its binding is new, but not for ever', async () => {
    const accounts = accountsWith(null);
    const waiting = whenFollowed(accounts, ACCOUNT, { wasBound: false, startedAt: 15, withinMs: 10_000, signal });
    accounts.record({ account: NAME, ledger: 10 });
    accounts.apply(9);
    expect((await waiting).block).toBe(9);
    const unknown = whenFollowed(accountsWith(null), ACCOUNT, { wasBound: false, startedAt: 15, withinMs: -1, signal });
    await expect(unknown).rejects.toThrow(AccountNotBoundError);
    const unread = new CollateralAccounts();
    unread.record({ account: NAME, ledger: 10 });
    const unfollowed = whenFollowed(unread, ACCOUNT, { wasBound: true, startedAt: 15, withinMs: -1, signal });
    await expect(unfollowed).rejects.toThrow('transfers of the account are not followed');
  });
});
