/** Decides for which wallets figures are known: not before the whole history of an account is loaded and in the tables. */
import type { Wallet } from '#schemas/domain/control/state';
import { accountFillTopic, type FillLoad } from '#schemas/topics/account-fills';
import { ledgerEventTopic } from '#schemas/topics/ledgers';
import { providerFamily } from '#schemas/venues/accounts';
import type { LedgersView } from '../views/ledgers.ts';
import type { Views } from '../views/views.ts';
import { ledgerOf } from './select-wallets.ts';

/** The ledgers of which the tables once held the whole history, by account. A cache: it follows from the tables. */
const stored = new WeakMap<LedgersView, Map<string, number>>();

/** Returns the wallets with figures. Call it before the tables are read. */
export async function knownWallets(
  { ledgers, freshness }: Pick<Views, 'ledgers' | 'freshness'>,
  wallets: readonly Wallet[],
): Promise<ReadonlySet<Wallet>> {
  const known = stored.get(ledgers) ?? new Map<string, number>();
  stored.set(ledgers, known);
  const loads = wallets.flatMap((wallet) => loadOf(ledgers, wallet) ?? []);
  const unchecked = loads.filter(({ account, ledger, loadedAt }) => loadedAt !== null && known.get(account) !== ledger);
  if (unchecked.length > 0) {
    const newest = Math.max(...unchecked.map(({ loadedAt }) => loadedAt!));
    // The sink writes rows up to about a second after the view knows that they exist. Events have the figures, and fills
    // the builders that are unknown.
    const until =
      (await freshness.tablesAsOf([ledgerEventTopic, accountFillTopic], newest)) ?? Number.NEGATIVE_INFINITY;
    for (const { account, ledger, loadedAt } of unchecked) if (loadedAt! <= until) known.set(account, ledger);
  }
  return new Set(wallets.filter((wallet) => isKnown(ledgers, wallet, known)));
}

function isKnown(ledgers: LedgersView, wallet: Wallet, known: ReadonlyMap<string, number>): boolean {
  const ledger = ledgerOf(ledgers, wallet);
  if (!ledger || providerFamily(wallet.provider) !== 'venue_a') return ledger !== undefined;
  return known.get(ledger.account) === ledger.ledger;
}

/** The load of the newest ledger of a wallet's account. */
function loadOf(ledgers: LedgersView, wallet: Wallet): FillLoad | null {
  const ledger = ledgerOf(ledgers, wallet);
  const load = ledger && ledgers.fillLoads.get(ledger.account);
  return load?.ledger === ledger?.ledger ? (load ?? null) : null;
}
