/** What the fills of accounts sum up to for competition stats, as of at most half a minute ago. */
import type { FollowedLedger } from '#schemas/topics/ledgers';
import { providerFamily, providersOf, type WalletProvider } from '#schemas/venues/accounts';
import { readNamedDays } from '../queries/named-days.ts';
import type { Reader } from '../queries/query.ts';
import { type FillSums, readFillSums } from '../queries/read-fill-sums.ts';
import type { Dependencies } from '../routes/route.ts';
import { FigureCache } from './figure-cache.ts';

/** Entries are sums of a few providers: some megabytes at most. */
const ACCOUNTS_MAX = 10_000;
/** How long metrics of an account and a window are returned after they were read (specification, Competition stats), ms. */
export const STATS_CACHE_MS = 30_000;

/** The sums of an account by provider, as they were when they were read. */
export interface AccountFills {
  readonly sums: readonly FillSums[];
  /** Up to when they contain all fills, unix ms. */
  readonly fillsThrough: number;
}

/** An account whose fills are known. */
export interface KnownAccount extends FollowedLedger {
  readonly provider: WalletProvider;
  readonly fillsThrough: number;
}

export interface FillsRead {
  /** Unix ms, inclusive; null for all time. */
  readonly from: number | null;
  /** Unix ms, exclusive; null for `now`. */
  readonly to: number | null;
  readonly now: number;
  /** Of which builders fills count; null for all fills. */
  readonly builders: readonly string[] | null;
  /** Those of venue_a among them. */
  readonly buildersOfVenueA: readonly string[];
}

/** The sandbox has a store of its own. */
const caches = new WeakMap<Reader, FigureCache<AccountFills>>();

/** Resolves with what the fills of each account sum up to, by account. */
export async function readAccountFills(
  { store, views }: Pick<Dependencies, 'store' | 'views'>,
  accounts: readonly KnownAccount[],
  { from, to, now, builders, buildersOfVenueA }: FillsRead,
): Promise<ReadonlyMap<string, AccountFills>> {
  const cache = caches.get(store) ?? new FigureCache({ lifetimeMs: STATS_CACHE_MS, entriesMax: ACCOUNTS_MAX });
  caches.set(store, cache);
  const scope = JSON.stringify([from, to, builders && [...builders].sort()]);
  const byKey = new Map(accounts.map((account) => [`${account.account} ${account.ledger} ${scope}`, account]));
  const found = await cache.getAll([...byKey.keys()], async (missing) => {
    const read = missing.map((key) => byKey.get(key)!);
    const parts = read.map((account) => ({ ...account, providers: providersOf(providerFamily(account.provider)) }));
    // Before the fills, which are as named then.
    const namedDays = await readNamedDays(store, views.freshness, buildersOfVenueA);
    const sums = await readFillSums(store, parts, { from, to: to ?? now }, builders, namedDays);
    return read.map(({ account, fillsThrough }) => ({
      sums: sums.filter((row) => row.account === account),
      fillsThrough,
    }));
  });
  return new Map([...byKey.values()].map(({ account }, at) => [account, found[at]!]));
}
