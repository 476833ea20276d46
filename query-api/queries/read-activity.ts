/** Pages back through what happened on the markets of events: anomalies, dispute phases and settlements. */
import { yesIndexOf } from '#schemas/domain/linked-markets';
import { marketKey } from '#schemas/domain/providers';
import { type AnomalyRecord, toAnomalyRecord } from '#schemas/http/anomaly';
import { type DisputePhaseRecord, toDisputePhaseRecord } from '#schemas/http/dispute-phase';
import { type SettlementRecord, toSettlementRecord } from '#schemas/http/settlement';
import { disputePhasesTable } from '#schemas/tables/dispute-phases';
import { resolutionsTable } from '#schemas/tables/resolutions';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import type { Market } from '#schemas/topics/normalised';
import type { DisputePhase } from '#schemas/topics/oracle';
import type { EventsView } from '../views/events.ts';
import { survivorOf } from './find-event.ts';
import { type Query, queryBatch, type Reader } from './query.ts';
import { type AnomalyRow, anomalyColumns } from './read-anomalies.ts';
import { type RowOf, selectColumns } from './select-columns.ts';
import { type CursorKey, formatCursor, readCursor } from './time-cursor.ts';

export const ACTIVITY_KINDS = ['anomaly', 'dispute', 'settlement'] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** Something that happened on a market of an event. */
export type Activity = { readonly event: UniversalEvent; readonly at: number } & (
  | { readonly kind: 'anomaly'; readonly record: AnomalyRecord }
  | { readonly kind: 'dispute'; readonly record: DisputePhaseRecord }
  | { readonly kind: 'settlement'; readonly record: SettlementRecord }
);

export interface ActivityPage {
  /** Newest first by time, then by kind and id in descending order. */
  readonly activity: readonly Activity[];
  readonly nextCursor: string | null;
}

type ActivityView = Pick<EventsView, 'byId' | 'byMarket'>;

/** A row of a table: its place in the order, and the activity, or null if its market has no event in the view. */
interface Row extends CursorKey {
  readonly activity: Activity | null;
}

/**
 * Rows of each table that are read at least, and how many times: markets of archived events have none in the view. After
 * that the page is shorter than the limit, and its cursor continues behind what was read.
 */
const ROWS_MIN = 200;
const READS_MAX = 5;
const ROWS_GROWTH = 4;

/** Reads a page of activity on the markets of events that the view holds. Throws 400 for an invalid cursor. */
export async function readActivity(
  view: ActivityView,
  store: Reader,
  kinds: readonly ActivityKind[],
  limit: number,
  cursor: string | null,
): Promise<ActivityPage> {
  let after = cursor === null ? null : readCursor(cursor);
  const found: (CursorKey & { readonly activity: Activity })[] = [];
  let isComplete = false;
  for (let reads = 0; reads < READS_MAX && !isComplete && found.length <= limit; reads += 1) {
    const count = Math.max(ROWS_MIN, limit + 1) * ROWS_GROWTH ** reads;
    const tables = await queryBatch(
      store,
      kinds.map((kind) => QUERIES[kind](view, after, count)),
    );
    // Rows of another table are complete only down to where the first full one ends.
    const ends = tables.flatMap((rows) => (rows.length < count ? [] : [rows.at(-1)!]));
    const end = ends.sort(newestFirst)[0] ?? null;
    const rows = tables.flat().sort(newestFirst);
    for (const { at, id, activity } of rows)
      if (activity && (end === null || newestFirst({ at, id }, end) <= 0)) found.push({ at, id, activity });
    isComplete = end === null;
    after = end;
  }
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1)! : isComplete ? null : after;
  return {
    activity: page.map(({ activity }) => activity),
    nextCursor: last && formatCursor({ at: last.at, id: last.id }),
  };
}

function newestFirst(a: CursorKey, b: CursorKey): number {
  if (a.at !== b.at) return b.at - a.at;
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1;
}

/** The event of a market and its link in it; null if the view holds none. */
function linkOf(
  view: ActivityView,
  provider: string,
  marketId: string | null,
): { readonly event: UniversalEvent; readonly link: EventLink } | null {
  const universalId = marketId === null ? undefined : view.byMarket.get(marketKey(provider, marketId));
  const event = universalId === undefined ? undefined : survivorOf(view, universalId);
  const link = event?.links.find((one) => one.provider === provider && one.providerMarketId === marketId);
  return event && link ? { event, link } : null;
}

type ActivityQuery = (view: ActivityView, after: CursorKey | null, count: number) => Query<Row[]>;

/** A query for the newest rows of a kind after a place in the order. */
function newest<T>(
  kind: ActivityKind,
  statement: { readonly select: string; readonly from: string; readonly time: string; readonly where: string },
  toRow: (view: ActivityView, row: T) => Row,
): ActivityQuery {
  const { select, from, time, where } = statement;
  return (view, after, count) => ({
    name: `activity-${kind}`,
    sql: `SELECT ${select} FROM ${from}
     WHERE ${where} ${
       after
         ? `AND t.${time} <= fromUnixTimestamp64Milli({at:Int64})
       AND (t.${time} < fromUnixTimestamp64Milli({at:Int64}) OR concat('${kind}:', t.id) < {id:String})`
         : ''
     }
     ORDER BY t.${time} DESC, t.id DESC
     LIMIT {count:UInt32}`,
    parameters: { count, ...(after ? { at: after.at, id: after.id } : {}) },
    parse: (rows: T[]) => rows.map((row) => toRow(view, row)),
  });
}

const RESOLUTION_COLUMNS = selectColumns(resolutionsTable, 't');
type SettlementRow = RowOf<typeof RESOLUTION_COLUMNS> & Pick<Market, 'outcomes'>;

const QUERIES: Readonly<Record<ActivityKind, ActivityQuery>> = {
  anomaly: newest<AnomalyRow>(
    'anomaly',
    { select: anomalyColumns('t'), from: 'anomalies AS t FINAL', time: 'ts', where: 'true' },
    (view, row) => {
      const linked = linkOf(view, row.provider, row.marketId);
      const { ts: at } = row;
      return {
        at,
        id: `anomaly:${row.id}`,
        activity: linked && {
          kind: 'anomaly',
          event: linked.event,
          at,
          record: toAnomalyRecord(row, linked.event.universalId),
        },
      };
    },
  ),
  dispute: newest<DisputePhase>(
    'dispute',
    {
      select: selectColumns(disputePhasesTable, 't'),
      from: 'dispute_phases AS t FINAL',
      time: 'ts',
      where: "t.status != 'reverted' AND t.marketId IS NOT NULL",
    },
    (view, row) => {
      const linked = linkOf(view, row.provider, row.marketId);
      const { ts: at } = row;
      return {
        at,
        id: `dispute:${row.id}`,
        activity: linked && { kind: 'dispute', event: linked.event, at, record: toDisputePhaseRecord(row) },
      };
    },
  ),
  settlement: newest<SettlementRow>(
    'settlement',
    {
      select: `${RESOLUTION_COLUMNS}, outcomes`,
      from: `(SELECT * FROM resolutions FINAL) AS t INNER JOIN (
        SELECT provider, marketId, outcomes FROM markets FINAL WHERE removed = 0
          AND (provider, marketId) IN (SELECT provider, marketId FROM resolutions)
      ) AS m USING (provider, marketId)`,
      time: 'resolvedAt',
      where: "t.status != 'reverted'",
    },
    (view, { outcomes, ...resolution }) => {
      const { resolvedAt: at, provider, marketId } = resolution;
      const linked = linkOf(view, provider, marketId);
      const side = { yesIndex: yesIndexOf(outcomes), inverse: linked?.link.polarity === 'inverse' };
      const record = linked && toSettlementRecord(resolution, side, linked.link.used);
      return {
        at,
        id: `settlement:${resolution.id}`,
        activity: linked && record && { kind: 'settlement', event: linked.event, at, record },
      };
    },
  ),
};
