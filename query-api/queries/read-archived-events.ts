/** Past events, which the view holds no more (`schemas/domain/past-events.ts`), out of the table that keeps them. */
import type { Parameter, Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import type { EventPlace } from '../views/event-index.ts';
import type { EventFilter } from './event-filter.ts';
import type { Condition } from './past-totals.ts';

type Reader = Pick<Store, 'query'>;
/** Links as the table has them: parallel arrays. */
type StoredLink = Omit<EventLink, 'marketState'>;
type Row = Omit<UniversalEvent, 'links'> & { readonly [K in keyof StoredLink as `link_${K}`]: StoredLink[K][] };

const LINK_FIELDS = [
  'provider',
  'providerMarketId',
  'confidence',
  'source',
  'polarity',
  'used',
  'evidence',
  'yesInstrument',
  'noInstrument',
  'takerFeeRate',
] as const satisfies readonly (keyof StoredLink)[];

const COLUMNS = [
  'universalId, canonicalName, kind, underlying, threshold, op, status, mergedInto, details',
  ...(['receivedAt', 'resolutionTime', 'firstSeenAt', 'lastSeenAt', 'overAt'] as const).map(
    (column) => `${unixMs(`e.${column}`)} AS ${column}`,
  ),
  ...LINK_FIELDS.map((field) => `\`links.${field}\` AS link_${field}`),
].join(', ');

/** What conditions look at, and which row of its event it is. */
const PLACE_COLUMNS =
  'universalId, version, firstSeenAt, overAt, mergedInto, removed, status, underlying, resolutionTime, `links.provider`';

/** As `isPast` says it of a record. */
const IS_PAST = 'removed = 0 AND mergedInto IS NULL AND e.overAt < fromUnixTimestamp64Milli({before:Int64})';

const AFTER = `WHERE firstSeenAt >= fromUnixTimestamp64Milli({firstSeenAt:Int64})
  AND (firstSeenAt, universalId) > (fromUnixTimestamp64Milli({firstSeenAt:Int64}), {universalId:String})`;

/** The record of an id, past or not; undefined for one that was never told. */
export async function readEvent(store: Reader, universalId: string): Promise<UniversalEvent | undefined> {
  const rows = await store.query<Row>(
    `SELECT ${COLUMNS} FROM events AS e FINAL WHERE universalId = {universalId:String} AND removed = 0`,
    { universalId },
  );
  return rows.map(toEvent)[0];
}

/** A row of the table that may be what its event is now. */
interface PlaceRow extends EventPlace {
  /** Of two rows of an event the greater counts. */
  readonly version: string;
}

/**
 * The places of the first `limit` events that fit a condition after a place, in their order, each where the newest of
 * its rows has it; the store merges rows when it likes. Events that `isElsewhere` are left out.
 */
export async function readPastPlaces(
  store: Reader,
  condition: Condition,
  limit: number,
  after: EventPlace | null,
  isElsewhere: (universalId: string) => boolean,
): Promise<EventPlace[]> {
  const places: EventPlace[] = [];
  for (let from = after; ; ) {
    const rows = await readPlaceRows(store, condition, limit, from);
    for (const { universalId, firstSeenAt } of await newestOf(store, rows))
      if (!isElsewhere(universalId)) places.push({ universalId, firstSeenAt });
    if (rows.length < limit || places.length >= limit) return places.slice(0, limit);
    from = rows.at(-1)!;
  }
}

/**
 * The first `limit` rows that fit. Without `FINAL`, so that the store reads the copy that lies in this order
 * (`byFirstSeen`) from that place on, a few narrow columns of it. Of rows of one event at one place, which stand side by
 * side there, the newest counts.
 */
async function readPlaceRows(
  store: Reader,
  { where, parameters }: Condition,
  limit: number,
  after: EventPlace | null,
): Promise<PlaceRow[]> {
  return store.query<PlaceRow>(
    `SELECT universalId, version, ${unixMs('e.firstSeenAt')} AS firstSeenAt
     FROM (
       SELECT ${PLACE_COLUMNS} FROM events ${after ? AFTER : ''}
       ORDER BY firstSeenAt, universalId, version DESC LIMIT 1 BY firstSeenAt, universalId
     ) AS e
     WHERE ${where} ORDER BY e.firstSeenAt, universalId LIMIT {limit:UInt64}`,
    { ...parameters, ...(after ? { firstSeenAt: after.firstSeenAt, universalId: after.universalId } : {}), limit },
  );
}

/** The rows without those that a newer one replaced, which may stand anywhere: who is founded anew has a new firstSeenAt. */
async function newestOf(store: Reader, rows: readonly PlaceRow[]): Promise<PlaceRow[]> {
  if (rows.length === 0) return [];
  const newest = await store.query<{ universalId: string; newest: string }>(
    `SELECT universalId, max(version) AS newest FROM events WHERE universalId IN {ids:Array(String)}
     GROUP BY universalId`,
    { ids: rows.map(({ universalId }) => universalId) },
  );
  const versions = new Map(newest.map((row) => [row.universalId, row.newest]));
  return rows.filter(({ universalId, version }) => versions.get(universalId) === version);
}

/** The records at these places, which are in their order. */
export async function readEventsAt(store: Reader, places: readonly EventPlace[]): Promise<UniversalEvent[]> {
  const [first, last] = [places[0], places.at(-1)];
  if (!first || !last) return [];
  const rows = await store.query<Row>(
    `SELECT ${COLUMNS} FROM events AS e
     WHERE e.firstSeenAt >= fromUnixTimestamp64Milli({from:Int64}) AND e.firstSeenAt <= fromUnixTimestamp64Milli({to:Int64})
       AND universalId IN {ids:Array(String)}
     ORDER BY version DESC LIMIT 1 BY universalId`,
    { from: first.firstSeenAt, to: last.firstSeenAt, ids: places.map(({ universalId }) => universalId) },
  );
  return rows.map(toEvent);
}

/**
 * What past events that fit the filter have in common.
 * @param before what was over before is past, unix ms.
 */
export function pastCondition(
  { underlying, resolutionAfter, minProviders, status }: EventFilter,
  before: number,
): Condition {
  const parts = [IS_PAST];
  const parameters: Record<string, Parameter> = { before };
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
  return { where: parts.join(' AND '), parameters };
}

function toEvent(row: Row): UniversalEvent {
  const { universalId, receivedAt, canonicalName, kind, underlying, threshold, op } = row;
  const { resolutionTime, status, firstSeenAt, lastSeenAt, mergedInto, details, overAt } = row;
  return {
    universalId,
    receivedAt,
    canonicalName,
    kind,
    underlying,
    threshold,
    op,
    resolutionTime,
    status,
    firstSeenAt,
    lastSeenAt,
    links: row.link_provider.map((_, at) => ({
      ...(Object.fromEntries(LINK_FIELDS.map((field) => [field, row[`link_${field}`][at]])) as StoredLink),
      // The table has no state of a market: nobody reads it of a past event, whose markets are all closed or resolved.
      marketState: status,
    })),
    mergedInto,
    details,
    overAt,
  };
}
