import type { FollowedLedger } from '#schemas/topics/ledgers';
import { type ProviderFamily, providersOf } from '#schemas/venues/accounts';

/** A ledger of which the rows of some providers are read. */
export interface LedgerPart extends FollowedLedger {
  readonly providers: readonly string[];
}

/** Maximum of ledgers per statement: they are sent in its URL. */
const LEDGERS_MAX = 1_000;

/** SQL of the provider of a row of `book_events AS l`: that of the account's venue, or of the coin (venue_a page, section 2.1). */
const PROVIDER = `multiIf(NOT startsWith(l.account, 'venue_a:'), substring(l.account, 1, position(l.account, ':') - 1),
  startsWith(l.instrument, '#'), 'venue_a_outcome', position(l.instrument, ':') > 0, 'venue_a_dex', 'venue_a_perp')`;

/** SQL condition on `book_events AS l`: rows of the ledgers of `ledgerParameters`, and of no earlier ones. */
export const IS_OF_LEDGERS = isOfLedgers(PROVIDER);

/**
 * The same condition on a table with `account` and `ledger`. The first line selects only blocks of rows by the index: the
 * second one finds no ledger for any other account. The provider of a row is calculated only where a ledger is not read as
 * a whole.
 * @param provider SQL of the provider of a row.
 */
export function isOfLedgers(provider: string): string {
  return `indexHint(l.account IN {accounts:Array(String)})
  AND toUnixTimestamp64Milli(l.ledger) = transform(l.account, {accounts:Array(String)}, {ledgers:Array(Int64)}, toInt64(-1))
  AND (l.account NOT IN {restricted:Array(String)} OR concat(l.account, ' ', ${provider}) IN {allowed:Array(String)})`;
}

/** Parameters of `isOfLedgers`. @param ledgers of different accounts. */
export function ledgerParameters(ledgers: readonly LedgerPart[]) {
  const parts = ledgers.filter((ledger) => !isWhole(ledger));
  return {
    accounts: ledgers.map(({ account }) => account),
    ledgers: ledgers.map(({ ledger }) => ledger),
    restricted: parts.map(({ account }) => account),
    allowed: parts.flatMap(({ account, providers }) => providers.map((provider) => `${account} ${provider}`)),
  };
}

function isWhole({ account, providers }: LedgerPart): boolean {
  return providers.length === providersOf(account.slice(0, account.indexOf(':')) as ProviderFamily).length;
}

/** Splits ledgers into parts that fit into a statement each. */
export function inParts<T extends FollowedLedger>(ledgers: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < ledgers.length; at += LEDGERS_MAX) parts.push(ledgers.slice(at, at + LEDGERS_MAX));
  return parts;
}
