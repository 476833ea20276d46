import type { Wallet } from '#schemas/domain/control/state';
import type { AccountProvider } from '#schemas/venues/accounts';
import type { LedgersView } from '../views/ledgers.ts';
import { inParts, isOfLedgers } from './ledger-rows.ts';
import { LACKS_BUILDER, type NamedDays } from './named-days.ts';
import { query, type Reader } from './query.ts';
import { ledgersOf } from './select-wallets.ts';

/**
 * Returns the accounts that paid a builder whom no source has named yet.
 * @param namedDays on which none is missing (`readNamedDays`).
 */
export async function accountsWithUnknownBuilders(
  store: Reader,
  ledgers: LedgersView,
  wallets: readonly Wallet[],
  namedDays: NamedDays,
  requested?: AccountProvider | undefined,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  // On venue_b every fill names its builder.
  const ofCoins = ledgersOf(ledgers, wallets, requested).filter(({ account }) => account.startsWith('venue_a:'));
  for (const part of inParts(ofCoins)) {
    const own = isOfLedgers(part, 'l.provider');
    for (const account of await query(store, {
      name: 'unknown-builders',
      sql: `SELECT DISTINCT l.account AS account FROM account_fills AS l FINAL
       WHERE ${own.sql} AND ${LACKS_BUILDER}`,
      parameters: { ...own.parameters, ...namedDays },
      parse: (rows: { account: string }[]) => rows.map(({ account }) => account),
    }))
      found.add(account);
  }
  return found;
}
