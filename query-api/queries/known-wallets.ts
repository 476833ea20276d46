/**
 * Decides for which wallets figures are known and complete. Those of venue_a are known with the first response about their
 * fills, and complete once the whole history is loaded, unless the venue does not return all fills of a time; both when what
 * was loaded is in the tables.
 */
import type { Wallet } from '#schemas/domain/control/state';
import { accountFillTopic, type FillLoad } from '#schemas/topics/account-fills';
import { type FollowedLedger, ledgerEventTopic } from '#schemas/topics/ledgers';
import { providerFamily } from '#schemas/venues/accounts';
import type { LedgersView } from '../views/ledgers.ts';
import type { Views } from '../views/views.ts';
import { ledgerOf } from './select-wallets.ts';

/** Up to when the tables hold the loads of ledgers, by account. A cache: it follows from the tables. */
const stored = new WeakMap<LedgersView, Map<string, StoredLoad>>();

interface StoredLoad {
  readonly ledger: number;
  /** Event time, unix ms. */
  readonly until: number;
}

export interface KnownWallets {
  /** The wallets with figures. */
  readonly known: ReadonlySet<Wallet>;
  /** Those whose figures leave out no part of their history. */
  readonly complete: ReadonlySet<Wallet>;
}

/** Returns the wallets with figures. Call it before the tables are read. */
export async function knownWallets(
  { ledgers, freshness }: Pick<Views, 'ledgers' | 'freshness'>,
  wallets: readonly Wallet[],
): Promise<KnownWallets> {
  const loads = stored.get(ledgers) ?? new Map<string, StoredLoad>();
  stored.set(ledgers, loads);
  const untilOf = ({ account, ledger }: FollowedLedger) => {
    const found = loads.get(account);
    return found?.ledger === ledger ? found.until : Number.NEGATIVE_INFINITY;
  };
  const unchecked = wallets
    .flatMap((wallet) => loadOf(ledgers, wallet) ?? [])
    .filter((load) => (load.loadedAt ?? load.knownAt ?? Number.NEGATIVE_INFINITY) > untilOf(load));
  if (unchecked.length > 0) {
    const newest = Math.max(...unchecked.map(({ loadedAt, knownAt }) => loadedAt ?? knownAt!));
    // The sink writes rows up to about a second after the view knows that they exist. Events have the figures, and fills
    // the builders that are unknown.
    const until =
      (await freshness.tablesAsOf([ledgerEventTopic, accountFillTopic], newest)) ?? Number.NEGATIVE_INFINITY;
    for (const load of unchecked)
      loads.set(load.account, { ledger: load.ledger, until: Math.max(until, untilOf(load)) });
  }
  const isStored = (wallet: Wallet, timeOf: (load: FillLoad) => number | null) => {
    const ledger = ledgerOf(ledgers, wallet);
    if (!ledger || providerFamily(wallet.provider) !== 'venue_a') return ledger !== undefined;
    const load = loadOf(ledgers, wallet);
    const time = load && timeOf(load);
    return time !== null && time <= untilOf(ledger);
  };
  return {
    known: new Set(wallets.filter((wallet) => isStored(wallet, ({ knownAt, loadedAt }) => knownAt ?? loadedAt))),
    complete: new Set(
      wallets.filter((wallet) => isStored(wallet, ({ loadedAt, skippedAt }) => (skippedAt === null ? loadedAt : null))),
    ),
  };
}

/** The load of the newest ledger of a wallet's account. */
function loadOf(ledgers: LedgersView, wallet: Wallet): FillLoad | null {
  const ledger = ledgerOf(ledgers, wallet);
  const load = ledger && ledgers.fillLoads.get(ledger.account);
  return load?.ledger === ledger?.ledger ? (load ?? null) : null;
}
