import { unixMs } from '#infra/store/unix-ms';
import { deliveriesTable } from '#schemas/tables/deliveries';
import { deliveryAttemptsTable } from '#schemas/tables/delivery-attempts';
import { findDelivery } from './find-delivery.ts';
import { query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';
import { type CursorKey, formatCursor, readCursor } from './time-cursor.ts';

/** `pending` as long as another attempt will be made. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The result of one attempt. */
export interface AttemptEntry {
  /** Unix ms. */
  readonly at: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** Signatures that it was sent with; null if it was not sent, or if an older version sent it. */
  readonly signature: string | null;
}

/** A delivery with its attempts so far. */
export interface DeliveryEntry {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms; null if no attempt will follow. */
  readonly nextAttemptAt: number | null;
  /** Oldest first. */
  readonly attempts: readonly AttemptEntry[];
}

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryEntry[];
  readonly nextCursor: string | null;
}

/** Selects the deliveries of a webhook. Webhook ids are unique; the tables are sorted by organization first. */
interface WebhookFilter {
  readonly orgId: string;
  readonly webhookId: string;
  /** Unix ms: older deliveries are left out (`oldestRetainedAt`). */
  readonly since: number;
}

const COLUMNS = selectColumns(deliveriesTable, 'd', ['id', 'eventId', 'eventType', 'createdAt']);
type Row = RowOf<typeof COLUMNS>;
const ATTEMPT_COLUMNS = selectColumns(deliveryAttemptsTable, 'a', [
  'deliveryId',
  'durationMs',
  'status',
  'error',
  'outcome',
  'nextAttemptAt',
  'signature',
]);
type AttemptRow = RowOf<typeof ATTEMPT_COLUMNS> & { readonly at: number };

/** Rows read at first for each requested delivery: the sink may have written some twice. */
const ROWS_PER_DELIVERY = 2;
/** Growth factor of the number of rows when too few deliveries were found. */
const LIMIT_GROWTH = 8;

/**
 * Reads deliveries of a webhook after the cursor, newest first by creation time, then by id. Throws 400 for an invalid
 * cursor.
 */
export async function readDeliveries(
  store: Reader,
  filter: WebhookFilter,
  limit: number,
  cursor: string | null,
): Promise<DeliveryPage> {
  // One more than requested shows whether there is a next page.
  const rows = await newestRows(store, filter, limit + 1, cursor === null ? null : readCursor(cursor));
  const page = rows.slice(0, limit);
  const attempts = await readAttempts(store, filter, page);
  const last = page.at(-1);
  return {
    deliveries: page.map((row) => toEntry(row, attempts.get(row.id) ?? [])),
    nextCursor: rows.length > limit && last ? formatCursor({ at: last.createdAt, id: last.id }) : null,
  };
}

/** Reads a delivery of a webhook with its body as it was sent; null if there is none. */
export async function readDelivery(
  store: Reader,
  filter: WebhookFilter,
  id: string,
): Promise<(DeliveryEntry & { readonly body: string }) | null> {
  const found = await findDelivery(store, { ...filter, id });
  if (!found) return null;
  const { body, ...row } = found;
  const attempts = await readAttempts(store, filter, [row]);
  return { ...toEntry(row, attempts.get(id) ?? []), body };
}

/**
 * Reads at least `count` distinct rows, or all. Rows of one delivery differ only in `version` and are adjacent, so that
 * only the end of the sorting key is read (12 ms for a million rows); `FINAL` would merge all deliveries (150 ms).
 */
async function newestRows(
  store: Reader,
  filter: WebhookFilter,
  count: number,
  after: CursorKey | null,
): Promise<Row[]> {
  for (let limit = count * ROWS_PER_DELIVERY; ; limit *= LIMIT_GROWTH) {
    const rows = await query(store, {
      name: 'deliveries',
      sql: `SELECT ${COLUMNS}
       FROM deliveries AS d
       WHERE orgId = {orgId:String} AND webhookId = {webhookId:String}
         AND d.createdAt >= fromUnixTimestamp64Milli({since:Int64}) ${after ? AFTER : ''}
       ORDER BY d.createdAt DESC, d.id DESC
       LIMIT {limit:UInt32}`,
      parameters: { ...filter, limit, ...(after ?? {}) },
      parse: (found: Row[]) => found,
    });
    const distinct = rows.filter(({ id }, nth) => id !== rows[nth - 1]?.id);
    if (distinct.length >= count || rows.length < limit) return distinct;
  }
}

/** Rows after the cursor. The first condition can use the sorting key. */
const AFTER = `AND d.createdAt <= fromUnixTimestamp64Milli({at:Int64})
         AND (d.createdAt, d.id) < (fromUnixTimestamp64Milli({at:Int64}), {id:String})`;

/** Reads the attempts of deliveries, oldest first, by delivery id. */
async function readAttempts(
  store: Reader,
  filter: WebhookFilter,
  deliveries: readonly Row[],
): Promise<Map<string, AttemptRow[]>> {
  const byDelivery = new Map<string, AttemptRow[]>();
  if (deliveries.length === 0) return byDelivery;
  const rows = await query(store, {
    name: 'delivery-attempts',
    sql: `SELECT ${ATTEMPT_COLUMNS}, ${unixMs('a.at')} AS at
     FROM delivery_attempts AS a
     WHERE orgId = {orgId:String} AND webhookId = {webhookId:String} AND deliveryId IN {ids:Array(String)}
     ORDER BY deliveryId, attempt, version DESC
     LIMIT 1 BY deliveryId, attempt`,
    parameters: { ...filter, ids: deliveries.map(({ id }) => id) },
    parse: (found: AttemptRow[]) => found,
  });
  for (const row of rows) {
    const attempts = byDelivery.get(row.deliveryId);
    if (attempts) attempts.push(row);
    else byDelivery.set(row.deliveryId, [row]);
  }
  return byDelivery;
}

function toEntry(row: Row, attempts: readonly AttemptRow[]): DeliveryEntry {
  const last = attempts.at(-1);
  return {
    ...row,
    status: last?.outcome ?? 'pending',
    // A delivery without an attempt has been due since it was created.
    nextAttemptAt: last ? last.nextAttemptAt : row.createdAt,
    attempts: attempts.map(({ at, status, durationMs, error, signature }) => ({
      at,
      status,
      durationMs,
      error,
      signature,
    })),
  };
}
