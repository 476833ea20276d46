import { describe, expect, it } from 'vitest';
import { ownerName } from '#schemas/domain/control/owner';
import { initialControlState, type Wallet } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import type { Caller } from '../routes/route.ts';
import { readByAddress } from './by-address.ts';
import { READ_AT_ONCE } from './read-few-at-once.ts';

const CALLER = { orgId: 'org_1', sandbox: false } as Caller;
const idAt = (at: number) => `wal_${String(at).padStart(3, '0')}`;
const walletAt = (at: number) => ({ id: idAt(at), address: `0x${at}` }) as Wallet;

/** A caller with so many wallets, and what by-address routes read of them. */
function setUp(count: number, read: (wallet: Wallet) => Promise<string>, until?: AbortSignal) {
  const control = initialControlState();
  const wallets = Array.from({ length: count }, (_, at) => [idAt(at), walletAt(at)] as const);
  control.walletsByOwner.set(ownerName(CALLER), new Map(wallets));
  return readByAddress(control, CALLER, undefined, read, until);
}

describe('a read of all wallets', () => {
  it('never reads more than a few at once, and returns every wallet in order', async () => {
    let running = 0;
    let most = 0;
    const { wallets, warnings } = await setUp(100, async ({ id }) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
      return id;
    });
    expect(most).toBe(READ_AT_ONCE);
    expect(wallets).toEqual(Array.from({ length: 100 }, (_, at) => idAt(at)));
    expect(warnings).toEqual([]);
  });

  it('has warnings in the order of the wallets, whichever fails first', async () => {
    const failing: ((error: unknown) => void)[] = [];
    const reading = setUp(3, () => new Promise((_, reject) => void failing.push(reject)));
    for (const fail of failing.reverse()) {
      fail(new ApiError('upstream_unavailable', 'no'));
      await new Promise(setImmediate);
    }
    expect((await reading).warnings.map(({ address }) => address)).toEqual(['0x0', '0x1', '0x2']);
  });

  it('returns what is there when its time ends, and a warning for each other wallet', async () => {
    const ending = new AbortController();
    const started: string[] = [];
    const { wallets, warnings } = await setUp(
      20,
      async ({ id }) => {
        started.push(id);
        if (started.length === READ_AT_ONCE + 1) ending.abort();
        return id === idAt(0) ? id : new Promise<never>(() => {});
      },
      ending.signal,
    );
    expect(wallets).toEqual([idAt(0)]);
    expect(started).toHaveLength(READ_AT_ONCE + 1);
    expect(warnings.map(({ code }) => code)).toEqual(Array(19).fill('upstream_unavailable'));
  });

  it('rejects with an error that is no failure of a wallet', async () => {
    await expect(setUp(2, () => Promise.reject(new TypeError('wrong')))).rejects.toThrow('wrong');
  });
});
