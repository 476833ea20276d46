/** Which positions of ledgers of venue_b the venue states, too. */
import type { FollowedLedger } from '#schemas/topics/ledgers';
import type { Query } from './query.ts';

interface Token {
  readonly account: string;
  readonly instrument: string;
}

/**
 * Returns the tokens, by `account instrument`, that the newest comparison found equal.
 * @param ledgers as many as fit into a statement.
 * @param instrument the only token that is looked for.
 */
export function equalPositions(ledgers: readonly FollowedLedger[], instrument?: string): Query<ReadonlySet<string>> {
  return {
    name: 'equal-positions',
    sql: `SELECT c.account AS account, c.instrument AS instrument FROM ledger_checks AS c FINAL
     WHERE c.account IN {accounts:Array(String)} AND c.isEqual
       ${instrument === undefined ? '' : 'AND c.instrument = {instrument:String}'}
       AND concat(c.account, ' ', toString(toUnixTimestamp64Milli(c.ledger))) IN {ledgers:Array(String)}`,
    parameters: {
      accounts: ledgers.map(({ account }) => account),
      ledgers: ledgers.map(({ account, ledger }) => `${account} ${ledger}`),
      ...(instrument === undefined ? {} : { instrument }),
    },
    parse: (rows: Token[]) => new Set(rows.map(keyOf)),
  };
}

/** True for a coin: each fill of venue_a states the position. False for a token that was not compared yet. */
export function isEqual(equal: ReadonlySet<string>, token: Token): boolean {
  return !token.account.startsWith('venue_b:') || equal.has(keyOf(token));
}

const keyOf = ({ account, instrument }: Token): string => `${account} ${instrument}`;
