import type { FollowedLedger } from '#schemas/topics/ledgers';

/** Maximum of ledgers per statement: they are sent in its URL. */
const LEDGERS_MAX = 2_000;

/** SQL condition on `ledger_events AS l`: rows of the ledgers of `ledgerParameters`, and of no earlier ones. */
export const IS_OF_LEDGERS = `l.account IN {accounts:Array(String)}
  AND concat(l.account, ' ', toString(toUnixTimestamp64Milli(l.ledger))) IN {ledgers:Array(String)}`;

/** Parameters of `IS_OF_LEDGERS`. */
export function ledgerParameters(ledgers: readonly FollowedLedger[]) {
  return {
    accounts: ledgers.map(({ account }) => account),
    ledgers: ledgers.map(({ account, ledger }) => `${account} ${ledger}`),
  };
}

/** Splits ledgers into parts that fit into a statement each. */
export function inParts<T extends FollowedLedger>(ledgers: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < ledgers.length; at += LEDGERS_MAX) parts.push(ledgers.slice(at, at + LEDGERS_MAX));
  return parts;
}
