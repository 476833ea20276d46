import { NODE_FILL_RETENTION_DAYS, nodeFillsTable } from '#schemas/tables/node-fills';
import { type NodeFillCoverage, nodeFillTopic } from '#schemas/topics/node-fills';
import type { Views } from '../views/views.ts';
import { type Query, query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

/** A node whose newest block is older is behind. */
const BLOCK_AGE_MAX_MS = 10_000;
const RETENTION_MS = NODE_FILL_RETENTION_DAYS * 86_400_000;
/** Rows scanned for each requested fill: the sink may insert a row again. */
const ROWS_PER_FILL = 2;

/** The fills that a self-hosted node wrote for a user. */
export interface NodeFills {
  /** Newest first, and in the order of execution within a time. */
  readonly fills: readonly unknown[];
  /** True if they are all fills of the retention, until some seconds ago. */
  readonly isComplete: boolean;
}

/**
 * Reads the newest fills of a user; without a node none.
 * @param now current time, unix ms.
 */
export async function readNodeFills(
  store: Reader,
  { nodeFillCoverage, freshness }: Pick<Views, 'nodeFillCoverage' | 'freshness'>,
  user: string,
  { limit, now = Date.now() }: { readonly limit: number; readonly now?: number },
): Promise<NodeFills> {
  const newest = nodeFillCoverage.records.at(-1);
  if (!newest) return { fills: [], isComplete: false };
  // Before the table is read, so that the table holds at least as much.
  const stored = await freshness.tablesAsOf([nodeFillTopic], newest.receivedAt);
  const coverage = nodeFillCoverage.records.findLast(({ receivedAt }) => stored !== null && receivedAt <= stored);
  const fills = await query(store, newestFillsOf(user, limit));
  return { fills, isComplete: coverage !== undefined && coversRetention(coverage, now) };
}

/** True if fills are known from the retention until some seconds before `now`. */
export function coversRetention({ since, until }: Pick<NodeFillCoverage, 'since' | 'until'>, now: number): boolean {
  return since <= now - RETENTION_MS && until >= now - BLOCK_AGE_MAX_MS;
}

const COLUMNS = selectColumns(nodeFillsTable, 'f', ['fill']);

/** `FINAL` reads only the times of the newest rows, since a user can have a million fills. */
function newestFillsOf(user: string, limit: number): Query<unknown[]> {
  return {
    name: 'node-fills',
    sql: `SELECT ${COLUMNS} FROM node_fills AS f FINAL
     WHERE f.user = {user:String} AND f.time >= (
       SELECT min(time) FROM
         (SELECT r.time AS time FROM node_fills AS r WHERE r.user = {user:String} ORDER BY r.time DESC LIMIT {rows:UInt64})
     )
     ORDER BY f.time DESC, f.place LIMIT {limit:UInt64}`,
    parameters: { user, limit, rows: limit * ROWS_PER_FILL },
    parse: (rows: RowOf<typeof COLUMNS>[]) => rows.map(({ fill }) => JSON.parse(fill) as unknown),
  };
}
