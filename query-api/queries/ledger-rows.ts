import type { Parameter } from '#infra/store/store';
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

/** An SQL condition with its parameters. */
export interface Condition {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

/**
 * Selects rows of ledgers, and of no earlier ones, in a table `l` with `account` and `ledger`. The index reads only blocks
 * of rows with one of the accounts, and no ledger is found for other accounts in them. The provider of a row is calculated
 * only where a ledger is not read as a whole.
 * @param ledgers of different accounts.
 * @param provider SQL of the provider of a row; by default of one of `book_events`.
 */
export function isOfLedgers(ledgers: readonly LedgerPart[], provider = PROVIDER): Condition {
  const accounts = ledgers.map(({ account }) => account);
  const starts = ledgers.map(({ ledger }) => ledger);
  const sql = `indexHint(l.account IN {accounts:Array(String)}) AND toUnixTimestamp64Milli(l.ledger)
    = transform(l.account, {accounts:Array(String)}, {ledgers:Array(Int64)}, toInt64(-1))`;
  const parts = ledgers.filter((ledger) => !isWhole(ledger));
  if (parts.length === 0) return { sql, parameters: { accounts, ledgers: starts } };
  const restricted = parts.map(({ account }) => account);
  const allowed = parts.flatMap(({ account, providers }) => providers.map((one) => `${account} ${one}`));
  return {
    sql: `${sql} AND (l.account NOT IN {restricted:Array(String)}
    OR concat(l.account, ' ', ${provider}) IN {allowed:Array(String)})`,
    parameters: { accounts, ledgers: starts, restricted, allowed },
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
