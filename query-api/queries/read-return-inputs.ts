import { parseDecimal } from '#schemas/domain/decimal';
import type { Flow, FlowHistory } from '#schemas/domain/returns/flows';
import { ANCHOR_MS, type RoiInput } from '#schemas/domain/returns/roi';
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
  /** Those that a curve or the return of a window needs, ascending by hour. */
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

const HOUR_MS = 'toUnixTimestamp64Milli(l.hour)';

const VENUE_B = accountName('venue_b', '');

/** Rows of the ledgers of `parametersOf`, and of no earlier ones of their accounts. */
const IS_OF_LEDGERS = `l.account IN {accounts:Array(String)}
  AND concat(l.account, ' ', toString(toUnixTimestamp64Milli(l.ledger))) IN {ledgers:Array(String)}`;

const parametersOf = (ledgers: readonly FollowedLedger[]) => ({
  accounts: ledgers.map(({ account }) => account),
  ledgers: ledgers.map(({ account, ledger }) => `${account} ${ledger}`),
});

/** A window of returns, unix ms: null for the first point of all, and for the current value. */
export type ReturnsWindow = Pick<RoiInput, 'from' | 'to'>;

/**
 * From the start of the window, or from when flows are known, and before its end all snapshots are read: some of them may
 * anchor nothing, since a flow has no amount.
 */
const SNAPSHOTS_AT_ENDS = 24;

/**
 * Returns the inputs of each account that has any.
 * @param window of a return: the snapshots at both ends, the last one at or before each flow, and of the others at most
 * 2,000, of more equally many are left out between them. Null for curves: the newest 2,000 snapshots.
 */
export async function readReturnInputs(
  { store, views: { freshness } }: ReturnSource,
  ledgers: readonly FollowedLedger[],
  window: ReturnsWindow | null,
): Promise<ReadonlyMap<string, ReturnInputs>> {
  const inputs = new Map<string, ReturnInputs>();
  for (const part of inParts(ledgers)) {
    // A row of the coverage promises that the flows are in their table, so it is read first.
    const followedThrough = await flowsFollowedThrough(freshness, part);
    const coverage = await query(store, coverageOf(part));
    const [flows, snapshots] = await queryBatch(store, [
      flowsOf(part),
      window ? snapshotsOfWindow(part, spanOf(window), coverage) : newestSnapshots(part),
    ]);
    const thinned = part.filter(({ account }) => snapshots.get(account)?.[0]?.isThinned);
    const atFlows = window && thinned.length > 0 ? await query(store, snapshotsAtFlows(thinned, spanOf(window))) : null;
    for (const { account } of part) {
      const known = coverage.get(account);
      const history: FlowHistory = known
        ? {
            flows: flows.get(account) ?? [],
            knownFrom: known.knownFrom ?? Number.NEGATIVE_INFINITY,
            knownThrough: known.knownThrough ?? followedThrough,
          }
        : NOTHING_KNOWN.history;
      inputs.set(account, { snapshots: byHour(snapshots.get(account) ?? [], atFlows?.get(account) ?? []), history });
    }
  }
  return inputs;
}

/** Returns the inputs of one account; nothing is known without a ledger. */
export async function readReturnInputsOf(
  source: ReturnSource,
  ledger: FollowedLedger | undefined,
  window: ReturnsWindow | null,
): Promise<ReturnInputs> {
  if (!ledger) return NOTHING_KNOWN;
  return (await readReturnInputs(source, [ledger], window)).get(ledger.account)!;
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

interface Snapshot extends HourValue {
  /** True if snapshots of its account were left out. */
  readonly isThinned: boolean;
}
type SnapshotsOfAccounts = Query<ReadonlyMap<string, Snapshot[]>>;

function newestSnapshots(ledgers: readonly FollowedLedger[]): SnapshotsOfAccounts {
  return {
    name: 'nav-snapshots',
    sql: `SELECT * FROM (
       SELECT ${SNAPSHOTS} FROM nav_snapshots AS l FINAL
       WHERE ${IS_OF_LEDGERS} ORDER BY l.hour DESC LIMIT ${SNAPSHOTS_MAX} BY l.account
     ) ORDER BY hour`,
    parameters: parametersOf(ledgers),
    parse: toSnapshots,
  };
}

/** Hours of snapshots that the return of a window may need, as parameters of queries, unix ms. */
interface SnapshotSpan {
  readonly after: number;
  readonly through: number;
}

/** Without `from` a window begins with the oldest snapshot, else at most the age of an anchor before `from`. */
function spanOf({ from, to }: ReturnsWindow): SnapshotSpan {
  return { after: from === null ? 0 : Math.max(0, from - ANCHOR_MS), through: to ?? Number.MAX_SAFE_INTEGER };
}

const IS_IN_SPAN = `${HOUR_MS} >= {after:Int64} AND ${HOUR_MS} <= {through:Int64}`;

/** @param coverage since when the flows of accounts are known. */
function snapshotsOfWindow(
  ledgers: readonly FollowedLedger[],
  span: SnapshotSpan,
  coverage: ReadonlyMap<string, RowOf<typeof COVERAGE>>,
): SnapshotsOfAccounts {
  return {
    name: 'snapshots-of-window',
    sql: `SELECT account, hour, asOf, navUsd, total > ${SNAPSHOTS_MAX} AS isThinned FROM (
       SELECT ${SNAPSHOTS}, ${HOUR_MS} >= transform(l.account, {accounts:Array(String)}, {knownFrom:Array(Int64)}, 0) AS isKnown,
         row_number() OVER (PARTITION BY l.account ORDER BY l.hour) AS nth,
         row_number() OVER (PARTITION BY l.account, isKnown ORDER BY l.hour) AS nthOfKnown,
         count() OVER (PARTITION BY l.account) AS total
       FROM nav_snapshots AS l FINAL
       WHERE ${IS_OF_LEDGERS} AND ${IS_IN_SPAN}
     )
     WHERE isKnown AND nthOfKnown <= ${SNAPSHOTS_AT_ENDS} OR nth > total - ${SNAPSHOTS_AT_ENDS}
       OR nth % intDiv(total + ${SNAPSHOTS_MAX - 1}, ${SNAPSHOTS_MAX}) = 0
     ORDER BY hour`,
    parameters: {
      ...parametersOf(ledgers),
      ...span,
      knownFrom: ledgers.map(({ account }) => coverage.get(account)?.knownFrom ?? 0),
    },
    parse: toSnapshots,
  };
}

/** The last snapshot at or before each flow of the span. */
function snapshotsAtFlows(ledgers: readonly FollowedLedger[], span: SnapshotSpan): SnapshotsOfAccounts {
  const time = 'toUnixTimestamp64Milli(l.ts)';
  return {
    name: 'snapshots-at-flows',
    sql: `SELECT DISTINCT s.account AS account, s.hour AS hour, s.asOf AS asOf, s.navUsd AS navUsd
     FROM (
       SELECT account, toFloat64(${time}) AS ts FROM account_flows AS l FINAL
       WHERE ${IS_OF_LEDGERS} AND l.state = 'applied' AND ${time} >= {after:Int64} AND ${time} <= {through:Int64}
     ) AS f
     ASOF INNER JOIN (SELECT ${SNAPSHOTS} FROM nav_snapshots AS l FINAL WHERE ${IS_OF_LEDGERS} AND ${IS_IN_SPAN}) AS s
     ON f.account = s.account AND f.ts >= s.hour`,
    parameters: { ...parametersOf(ledgers), ...span },
    parse: toSnapshots,
  };
}

const toSnapshots = (rows: readonly (RowOf<typeof SNAPSHOTS> & { readonly isThinned?: 0 | 1 })[]) =>
  byAccount(rows, ({ hour, asOf, navUsd, isThinned }): Snapshot => {
    return { hour, asOf, nav: parseDecimal(navUsd), isThinned: isThinned === 1 };
  });

/** Joins lists of snapshots of one account, each snapshot once. */
function byHour(...lists: readonly (readonly HourValue[])[]): HourValue[] {
  return [...new Map(lists.flat().map((snapshot) => [snapshot.hour, snapshot])).values()].sort(
    (a, b) => a.hour - b.hour,
  );
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
