/** Reads archived events, which the view no longer holds (`schemas/domain/archived-events.ts`), from the table. */
import type { Parameter } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { eventsTable } from '#schemas/tables/events';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { EventSortKey } from '../views/event-index.ts';
import type { Condition } from './archived-totals.ts';
import type { EventFilter } from './event-filter.ts';
import { query, type Reader } from './query.ts';
import { type RowOf, selectColumns, selectNested } from './select-columns.ts';

type Row = RowOf<typeof EVENT_COLUMNS>;

const EVENT_FIELDS = [
  'universalId',
  'receivedAt',
  'canonicalName',
  'kind',
  'underlying',
  'threshold',
  'op',
  'resolutionTime',
  'status',
  'firstSeenAt',
  'lastSeenAt',
  'mergedInto',
  'details',
  'overAt',
] as const satisfies readonly (keyof UniversalEvent)[];
const EVENT_COLUMNS = selectColumns(eventsTable, 'e', EVENT_FIELDS);
const LINKS = selectNested(eventsTable, 'e', 'links');
const COLUMNS = `${EVENT_COLUMNS}, ${LINKS.sql}`;

/** The sort key, the version, and the columns that conditions usually use; `Condition.columns` names the others. */
const SORT_KEY_COLUMNS =
  'universalId, version, firstSeenAt, overAt, mergedInto, removed, status, underlying, resolutionTime, `links.provider`';

/** The SQL equivalent of `isArchived`. */
const IS_ARCHIVED = 'removed = 0 AND mergedInto IS NULL AND e.overAt < fromUnixTimestamp64Milli({cutoff:Int64})';

const AFTER = `WHERE firstSeenAt >= fromUnixTimestamp64Milli({firstSeenAt:Int64})
  AND (firstSeenAt, universalId) > (fromUnixTimestamp64Milli({firstSeenAt:Int64}), {universalId:String})`;

/** Reads the record of an id, archived or not; undefined for an unknown id. */
export function readEvent(store: Reader, universalId: string): Promise<UniversalEvent | undefined> {
  return query(store, {
    name: 'archived-event',
    sql: `SELECT ${COLUMNS} FROM events AS e FINAL WHERE universalId = {universalId:String} AND removed = 0`,
    parameters: { universalId },
    parse: (rows: Row[]) => rows.map(toEvent)[0],
  });
}

/** A row of the table that may be the newest version of its event. */
interface SortKeyRow extends EventSortKey {
  /** The row with the greatest version is the current one. */
  readonly version: string;
}

/**
 * Reads the sort keys of the first `limit` events after a sort key that match a condition, in order. Only the newest
 * row of each event counts, although the store may not have merged older rows yet. Events for which `isInView` is true
 * are left out.
 */
export async function readArchivedSortKeys(
  store: Reader,
  condition: Condition,
  limit: number,
  after: EventSortKey | null,
  isInView: (universalId: string) => boolean,
): Promise<EventSortKey[]> {
  const keys: EventSortKey[] = [];
  for (let from = after; ; ) {
    const rows = await readSortKeyRows(store, condition, limit, from);
    for (const { universalId, firstSeenAt } of await newestOf(store, rows))
      if (!isInView(universalId)) keys.push({ universalId, firstSeenAt });
    if (rows.length < limit || keys.length >= limit) return keys.slice(0, limit);
    from = rows.at(-1)!;
  }
}

/**
 * Reads the first `limit` matching rows. It does not use `FINAL`, so that the store can read a few narrow columns of
 * the projection `byFirstSeen`, which has this order, from the given sort key on. Of adjacent rows with the same sort
 * key the newest counts.
 */
function readSortKeyRows(
  store: Reader,
  { where, parameters, columns }: Condition,
  limit: number,
  after: EventSortKey | null,
): Promise<SortKeyRow[]> {
  return query(store, {
    name: 'archived-event-keys',
    sql: `SELECT universalId, version, ${unixMs('e.firstSeenAt')} AS firstSeenAt
     FROM (
       SELECT ${[SORT_KEY_COLUMNS, ...columns].join(', ')} FROM events ${after ? AFTER : ''}
       ORDER BY firstSeenAt, universalId, version DESC LIMIT 1 BY firstSeenAt, universalId
     ) AS e
     WHERE ${where} ORDER BY e.firstSeenAt, universalId LIMIT {limit:UInt64}`,
    parameters: {
      ...parameters,
      ...(after ? { firstSeenAt: after.firstSeenAt, universalId: after.universalId } : {}),
      limit,
    },
    parse: (rows: SortKeyRow[]) => rows,
  });
}

/**
 * Filters out rows that were replaced by a newer one, which may be anywhere: a recreated event has a new firstSeenAt.
 */
async function newestOf(store: Reader, rows: readonly SortKeyRow[]): Promise<SortKeyRow[]> {
  if (rows.length === 0) return [];
  const versions = await query(store, {
    name: 'archived-event-versions',
    sql: `SELECT universalId, max(version) AS newest FROM events WHERE universalId IN {ids:Array(String)}
     GROUP BY universalId`,
    parameters: { ids: rows.map(({ universalId }) => universalId) },
    parse: (found: { universalId: string; newest: string }[]) =>
      new Map(found.map((row) => [row.universalId, row.newest])),
  });
  return rows.filter(({ universalId, version }) => versions.get(universalId) === version);
}

/** Reads the records with these sort keys, which must be sorted. */
export async function readEventsAt(store: Reader, keys: readonly EventSortKey[]): Promise<UniversalEvent[]> {
  const [first, last] = [keys[0], keys.at(-1)];
  if (!first || !last) return [];
  return query(store, {
    name: 'archived-events',
    sql: `SELECT ${COLUMNS} FROM events AS e
     WHERE e.firstSeenAt >= fromUnixTimestamp64Milli({from:Int64}) AND e.firstSeenAt <= fromUnixTimestamp64Milli({to:Int64})
       AND universalId IN {ids:Array(String)}
     ORDER BY version DESC LIMIT 1 BY universalId`,
    parameters: { from: first.firstSeenAt, to: last.firstSeenAt, ids: keys.map(({ universalId }) => universalId) },
    parse: (rows: Row[]) => rows.map(toEvent),
  });
}

/**
 * The SQL condition for archived events that match the filter.
 * @param cutoff unix ms: an event that ended earlier is archived.
 */
export function archivedCondition(
  { underlying, resolutionAfter, minProviders, status, words = [] }: EventFilter,
  cutoff: number,
): Condition {
  const parts = [IS_ARCHIVED];
  const parameters: Record<string, Parameter> = { cutoff };
  if (status !== undefined) {
    parts.push('status = {status:String}');
    parameters.status = status;
  }
  if (underlying !== undefined) {
    parts.push('lowerUTF8(underlying) = {underlying:String}');
    parameters.underlying = underlying.toLowerCase();
  }
  if (resolutionAfter !== undefined) {
    parts.push('e.resolutionTime > fromUnixTimestamp64Milli({resolutionAfter:Int64})');
    parameters.resolutionAfter = resolutionAfter;
  }
  if (minProviders > 1) {
    parts.push('length(arrayDistinct(`links.provider`)) >= {minProviders:UInt64}');
    parameters.minProviders = minProviders;
  }
  for (const [at, word] of words.entries()) {
    parts.push(`position(lowerUTF8(canonicalName), {word${at}:String}) > 0`);
    parameters[`word${at}`] = word;
  }
  return { where: parts.join(' AND '), parameters, columns: words.length > 0 ? ['canonicalName'] : [] };
}

function toEvent(row: Row): UniversalEvent {
  const event = Object.fromEntries(EVENT_FIELDS.map((field) => [field, row[field]])) as RowOf<typeof EVENT_COLUMNS>;
  return {
    ...event,
    // The table has no market state, and nobody reads it for archived events, whose markets are all closed or resolved.
    links: LINKS.read(row).map((link) => ({ ...link, marketState: event.status })),
  };
}
