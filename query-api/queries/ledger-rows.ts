import type { FollowedLedger } from '#schemas/topics/ledgers';

/** A ledger of which the rows of some providers are read. */
export interface LedgerPart extends FollowedLedger {
  readonly providers: readonly string[];
}

/** Maximum of ledgers per statement: they are sent in its URL. */
const LEDGERS_MAX = 1_000;

/** SQL of the provider of a row of `ledger_events AS l`: that of the account's venue, or of the coin (venue_a page, section 2.1). */
const PROVIDER = `multiIf(NOT startsWith(l.account, 'venue_a:'), substring(l.account, 1, position(l.account, ':') - 1),
  startsWith(l.instrument, '#'), 'venue_a_outcome', position(l.instrument, ':') > 0, 'venue_a_dex', 'venue_a_perp')`;

/** SQL condition on `ledger_events AS l`: rows of the ledgers of `ledgerParameters`, and of no earlier ones. */
export const IS_OF_LEDGERS = isOfLedgers(PROVIDER);

/** The same condition on a table with `account` and `ledger`. @param provider SQL of the provider of a row. */
export function isOfLedgers(provider: string): string {
  return `l.account IN {accounts:Array(String)}
  AND concat(l.account, ' ', toString(toUnixTimestamp64Milli(l.ledger)), ' ', ${provider}) IN {ledgers:Array(String)}`;
}

/** Parameters of `isOfLedgers`. */
export function ledgerParameters(ledgers: readonly LedgerPart[]) {
  return {
    accounts: ledgers.map(({ account }) => account),
    ledgers: ledgers.flatMap(({ account, ledger, providers }) =>
      providers.map((provider) => `${account} ${ledger} ${provider}`),
    ),
  };
}

/** Splits ledgers into parts that fit into a statement each. */
export function inParts<T extends FollowedLedger>(ledgers: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < ledgers.length; at += LEDGERS_MAX) parts.push(ledgers.slice(at, at + LEDGERS_MAX));
  return parts;
}
