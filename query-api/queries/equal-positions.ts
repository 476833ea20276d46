/** Which positions of ledgers of venue_b the venue states, too. */
import type { FollowedLedger } from '#schemas/topics/ledgers';
import type { Query } from './query.ts';

export interface Token {
  readonly account: string;
  readonly instrument: string;
}

interface ComparedToken extends Token {
  readonly isEqual: 0 | 1;
}

/** What the newest comparisons found. */
export interface ComparedPositions {
  /** The tokens that were equal, by `account instrument`. */
  readonly equal: ReadonlySet<string>;
  /** The tokens that were not, be it ones that the ledger has no event of. */
  readonly differing: readonly Token[];
}

/**
 * Returns what the newest comparison of each token found.
 * @param ledgers as many as fit into a statement.
 * @param instrument the only token that is looked for.
 */
export function comparedPositions(ledgers: readonly FollowedLedger[], instrument?: string): Query<ComparedPositions> {
  return {
    name: 'compared-positions',
    sql: `SELECT c.account AS account, c.instrument AS instrument, toUInt8(c.isEqual) AS isEqual FROM ledger_checks AS c FINAL
     WHERE c.account IN {accounts:Array(String)}
       ${instrument === undefined ? '' : 'AND c.instrument = {instrument:String}'}
       AND concat(c.account, ' ', toString(toUnixTimestamp64Milli(c.ledger))) IN {ledgers:Array(String)}`,
    parameters: {
      accounts: ledgers.map(({ account }) => account),
      ledgers: ledgers.map(({ account, ledger }) => `${account} ${ledger}`),
      ...(instrument === undefined ? {} : { instrument }),
    },
    parse: (rows: ComparedToken[]) => ({
      equal: new Set(rows.filter((row) => row.isEqual === 1).map(keyOf)),
      differing: rows.filter((row) => row.isEqual === 0),
    }),
  };
}

/** True for a coin: each fill of venue_a states the position. False for a token that was not compared yet. */
export function isEqual({ equal }: ComparedPositions, token: Token): boolean {
  return !token.account.startsWith('venue_b:') || equal.has(keyOf(token));
}

export const keyOf = ({ account, instrument }: Token): string => `${account} ${instrument}`;
