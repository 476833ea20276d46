/** Reads what accounts were worth in the last day. */
import { accountValuesTable } from '#schemas/tables/account-values';
import type { AccountValue } from '#schemas/topics/accounts';
import type { Query } from './query.ts';
import { type RowOf, selectColumns, selectNested } from './select-columns.ts';

const TIMES = selectColumns(accountValuesTable, 'v', ['account', 'asOf', 'receivedAt']);
const FIGURES = selectColumns(accountValuesTable, 'v', [
  'account',
  'asOf',
  'receivedAt',
  'source',
  'unpriced',
  'mode',
  'failure',
  'valueUsd',
  'availableUsd',
  'navUsd',
  'unrealizedPnlUsd',
]);
const BUCKETS = selectNested(accountValuesTable, 'v', 'buckets');
const BALANCES = selectNested(accountValuesTable, 'v', 'spotBalances');
const DEXES = selectNested(accountValuesTable, 'v', 'perpByDex');

/** An acquisition with a value: what identifies it, and the time of its state. */
export type AcquisitionTime = RowOf<typeof TIMES>;

/** The newest acquisition with a value of each minute since `from` (unix ms), by account. */
export function acquisitionTimes(accounts: readonly string[], from: number): Query<AcquisitionTime[]> {
  return {
    name: 'acquisition-times',
    sql: `SELECT ${TIMES} FROM account_values AS v FINAL
     WHERE v.account IN {accounts:Array(String)} AND v.asOf >= fromUnixTimestamp64Milli({from:Int64})
       AND v.navUsd IS NOT NULL
     ORDER BY v.asOf DESC LIMIT 1 BY v.account, toStartOfMinute(v.asOf)`,
    parameters: { accounts, from },
    parse: (rows: AcquisitionTime[]) => rows,
  };
}

/** The values of acquisitions, in any order. */
export function valuesOf(acquisitions: readonly AcquisitionTime[]): Query<AccountValue[]> {
  return {
    name: 'account-values',
    sql: `SELECT ${FIGURES}, ${BUCKETS.sql}, ${BALANCES.sql}, ${DEXES.sql} FROM account_values AS v FINAL
     WHERE v.account IN {accounts:Array(String)}
       AND (v.account, toUnixTimestamp64Milli(v.receivedAt)) IN arrayZip({accounts:Array(String)}, {times:Array(Int64)})`,
    parameters: {
      accounts: acquisitions.map(({ account }) => account),
      times: acquisitions.map(({ receivedAt }) => receivedAt),
    },
    parse: (rows: RowOf<typeof FIGURES>[]) =>
      rows.map((row) => ({
        ...row,
        buckets: BUCKETS.read(row),
        spotBalances: BALANCES.read(row),
        perpByDex: DEXES.read(row),
      })),
  };
}
