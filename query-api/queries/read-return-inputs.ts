import { parseDecimal } from '#schemas/domain/decimal';
import type { Flow, FlowHistory } from '#schemas/domain/returns/flows';
import { type HourValue, SNAPSHOTS_MAX } from '#schemas/domain/returns/snapshot-curve';
import { accountFlowsTable } from '#schemas/tables/account-flows';
import { flowCoverageTable } from '#schemas/tables/flow-coverage';
import { navSnapshotsTable } from '#schemas/tables/nav-snapshots';
import type { FollowedLedger } from '#schemas/topics/ledgers';
import { accountName } from '#schemas/venues/accounts';
import { chainFlowsThrough } from '../views/followed-through.ts';
import type { Views } from '../views/views.ts';
import { inParts } from './ledger-rows.ts';
import { type Query, query, queryBatch, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

/** What the service itself knows about the value of an account over time. */
export interface ReturnInputs {
  /** The newest 2,000, ascending by hour. */
  readonly snapshots: readonly HourValue[];
  readonly history: FlowHistory;
}

/** Of an account without any record. */
export const NOTHING_KNOWN: ReturnInputs = {
  snapshots: [],
  history: { flows: [], knownFrom: Number.POSITIVE_INFINITY, knownThrough: Number.NEGATIVE_INFINITY },
};

/** Where the inputs are. */
export interface ReturnSource {
  readonly store: Reader;
  readonly views: Pick<Views, 'freshness'>;
}

const COVERAGE = selectColumns(flowCoverageTable, 'l', ['account', 'knownFrom', 'knownThrough']);
const FLOWS = selectColumns(accountFlowsTable, 'l', ['account', 'ts', 'kind', 'txHash', 'usd', 'problem']);
const SNAPSHOTS = selectColumns(navSnapshotsTable, 'l', ['account', 'hour', 'asOf', 'navUsd']);

const VENUE_B = accountName('venue_b', '');

/** Rows of the ledgers of `parametersOf`, and of no earlier ones of their accounts. */
const IS_OF_LEDGERS = `l.account IN {accounts:Array(String)}
  AND concat(l.account, ' ', toString(toUnixTimestamp64Milli(l.ledger))) IN {ledgers:Array(String)}`;

const parametersOf = (ledgers: readonly FollowedLedger[]) => ({
  accounts: ledgers.map(({ account }) => account),
  ledgers: ledgers.map(({ account, ledger }) => `${account} ${ledger}`),
});

/** Returns the inputs of each account that has any. */
export async function readReturnInputs(
  { store, views: { freshness } }: ReturnSource,
  ledgers: readonly FollowedLedger[],
): Promise<ReadonlyMap<string, ReturnInputs>> {
  const inputs = new Map<string, ReturnInputs>();
  for (const part of inParts(ledgers)) {
    // A row of the coverage promises that the flows are in their table, so it is read first.
    const followedThrough = await flowsFollowedThrough(freshness, part);
    const coverage = await query(store, coverageOf(part));
    const [flows, snapshots] = await queryBatch(store, [flowsOf(part), snapshotsOf(part)]);
    for (const { account } of part) {
      const known = coverage.get(account);
      const history: FlowHistory = known
        ? {
            flows: flows.get(account) ?? [],
            knownFrom: known.knownFrom ?? Number.NEGATIVE_INFINITY,
            knownThrough: known.knownThrough ?? followedThrough,
          }
        : NOTHING_KNOWN.history;
      inputs.set(account, { snapshots: snapshots.get(account) ?? [], history });
    }
  }
  return inputs;
}

/** Returns the inputs of one account; nothing is known without a ledger. */
export async function readReturnInputsOf(
  source: ReturnSource,
  ledger: FollowedLedger | undefined,
): Promise<ReturnInputs> {
  if (!ledger) return NOTHING_KNOWN;
  return (await readReturnInputs(source, [ledger])).get(ledger.account)!;
}

/** Times of blocks are whole seconds, and each is later than the one before. */
const BLOCK_TIME_STEP_MS = 1_000;

/**
 * Returns the time up to which all flows on chain are in the table, unix ms: the next block is in a later second than the
 * newest followed one. Minus infinity while it is not known, and without an account that needs it.
 */
export async function flowsFollowedThrough(
  freshness: Views['freshness'],
  ledgers: readonly FollowedLedger[],
): Promise<number> {
  const isNeeded = ledgers.some(({ account }) => account.startsWith(VENUE_B));
  const blockTime = isNeeded ? await chainFlowsThrough(freshness) : null;
  return blockTime === null ? Number.NEGATIVE_INFINITY : blockTime + BLOCK_TIME_STEP_MS - 1;
}

function coverageOf(ledgers: readonly FollowedLedger[]): Query<ReadonlyMap<string, RowOf<typeof COVERAGE>>> {
  return {
    name: 'flow-coverage',
    sql: `SELECT ${COVERAGE} FROM flow_coverage AS l FINAL WHERE ${IS_OF_LEDGERS} AND l.removed = 0`,
    parameters: parametersOf(ledgers),
    parse: (rows: RowOf<typeof COVERAGE>[]) => new Map(rows.map((row) => [row.account, row])),
  };
}

function flowsOf(ledgers: readonly FollowedLedger[]): Query<ReadonlyMap<string, Flow[]>> {
  return {
    name: 'account-flows',
    sql: `SELECT ${FLOWS} FROM account_flows AS l FINAL
     WHERE ${IS_OF_LEDGERS} AND l.state = 'applied' ORDER BY l.ts, l.id`,
    parameters: parametersOf(ledgers),
    parse: (rows: RowOf<typeof FLOWS>[]) => byAccount(rows, flowOf),
  };
}

function snapshotsOf(ledgers: readonly FollowedLedger[]): Query<ReadonlyMap<string, HourValue[]>> {
  return {
    name: 'nav-snapshots',
    sql: `SELECT * FROM (
       SELECT ${SNAPSHOTS} FROM nav_snapshots AS l FINAL
       WHERE ${IS_OF_LEDGERS} ORDER BY l.hour DESC LIMIT ${SNAPSHOTS_MAX} BY l.account
     ) ORDER BY hour`,
    parameters: parametersOf(ledgers),
    parse: (rows: RowOf<typeof SNAPSHOTS>[]) =>
      byAccount(rows, ({ hour, asOf, navUsd }) => ({ hour, asOf, nav: parseDecimal(navUsd) })),
  };
}

function flowOf({ ts, kind, txHash, usd, problem }: RowOf<typeof FLOWS>): Flow {
  if (usd !== null) return { ts, kind, txHash, usd: parseDecimal(usd), problem: null };
  return { ts, kind, txHash, usd: null, problem: problem ?? 'flows_unknown' };
}

function byAccount<R extends { readonly account: string }, T>(rows: readonly R[], toValue: (row: R) => T) {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const values = found.get(row.account);
    if (values) values.push(toValue(row));
    else found.set(row.account, [toValue(row)]);
  }
  return found;
}
