import type { Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { formatCursor, type Place, readCursor } from './time-cursor.ts';

/** `pending` while an attempt is to come. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What became of one attempt. */
export interface AttemptLine {
  /** Unix ms. */
  readonly at: number;
  /** HTTP; null without an answer. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** A delivery and what became of it so far. */
export interface DeliveryLine {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms; null when none is to come. */
  readonly nextAttemptAt: number | null;
  /** In their order. */
  readonly attempts: readonly AttemptLine[];
}

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryLine[];
  readonly nextCursor: string | null;
}

/** Whose deliveries. Ids of webhooks are unique; the organization is what the tables are sorted by. */
interface Of {
  readonly orgId: string;
  readonly webhookId: string;
  /** Unix ms: not those created before (`deliveriesKeptSince`). */
  readonly since: number;
}
type Reader = Pick<Store, 'query'>;
type Row = Pick<DeliveryLine, 'id' | 'eventId' | 'eventType' | 'createdAt'>;
/** Counts come back as text, as every 64-bit integer. */
interface AttemptRow {
  readonly deliveryId: string;
  readonly at: number;
  readonly durationMs: string;
  readonly status: string | null;
  readonly error: string | null;
  readonly outcome: DeliveryStatus;
  readonly nextAttemptAt: number | null;
}

/** Rows read at first for each delivery that is asked for: the sink may have written some twice. */
const ROWS_PER_DELIVERY = 2;
/** How much more is read where too few deliveries remained. */
const WIDER = 8;

/**
 * The deliveries of a webhook, newest first by the time of their making, then by id, from after the cursor on. Throws 400
 * for a cursor of another make.
 */
export async function readDeliveries(
  store: Reader,
  of: Of,
  limit: number,
  cursor: string | null,
): Promise<DeliveryPage> {
  // One more than asked for says whether there are more.
  const rows = await newestRows(store, of, limit + 1, cursor === null ? null : readCursor(cursor));
  const page = rows.slice(0, limit);
  const attempts = await readAttempts(store, of, page);
  const last = page.at(-1);
  return {
    deliveries: page.map((row) => toLine(row, attempts.get(row.id) ?? [])),
    nextCursor: rows.length > limit && last ? formatCursor({ at: last.createdAt, id: last.id }) : null,
  };
}

/**
 * At least `count` rows, or all there are. Rows of one delivery differ in `version` alone and stand side by side, so that
 * only the end of the sorting key is read (12 ms for a million); `FINAL` would merge all that was ever delivered (150 ms).
 */
async function newestRows(store: Reader, of: Of, count: number, after: Place | null): Promise<Row[]> {
  for (let limit = count * ROWS_PER_DELIVERY; ; limit *= WIDER) {
    const rows = await store.query<Row>(
      `SELECT id, eventId, eventType, ${unixMs('d.createdAt')} AS createdAt
       FROM deliveries AS d
       WHERE orgId = {orgId:String} AND webhookId = {webhookId:String}
         AND d.createdAt >= fromUnixTimestamp64Milli({since:Int64}) ${after ? AFTER : ''}
       ORDER BY d.createdAt DESC, d.id DESC
       LIMIT {limit:UInt32}`,
      { ...of, limit, ...(after ?? {}) },
    );
    const distinct = rows.filter(({ id }, nth) => id !== rows[nth - 1]?.id);
    if (distinct.length >= count || rows.length < limit) return distinct;
  }
}

/** The first half of it is what the sorting key can be cut by. */
const AFTER = `AND d.createdAt <= fromUnixTimestamp64Milli({at:Int64})
         AND (d.createdAt, d.id) < (fromUnixTimestamp64Milli({at:Int64}), {id:String})`;

/** The attempts of these deliveries in their order, by delivery. */
async function readAttempts(store: Reader, of: Of, deliveries: readonly Row[]): Promise<Map<string, AttemptRow[]>> {
  const byDelivery = new Map<string, AttemptRow[]>();
  if (deliveries.length === 0) return byDelivery;
  const rows = await store.query<AttemptRow>(
    `SELECT deliveryId, ${unixMs('a.at')} AS at, durationMs, status, error, outcome,
       ${unixMs('a.nextAttemptAt')} AS nextAttemptAt
     FROM delivery_attempts AS a
     WHERE orgId = {orgId:String} AND webhookId = {webhookId:String} AND deliveryId IN {ids:Array(String)}
     ORDER BY deliveryId, attempt, version DESC
     LIMIT 1 BY deliveryId, attempt`,
    { ...of, ids: deliveries.map(({ id }) => id) },
  );
  for (const row of rows) {
    const own = byDelivery.get(row.deliveryId);
    if (own) own.push(row);
    else byDelivery.set(row.deliveryId, [row]);
  }
  return byDelivery;
}

function toLine(row: Row, attempts: readonly AttemptRow[]): DeliveryLine {
  const last = attempts.at(-1);
  return {
    ...row,
    status: last?.outcome ?? 'pending',
    // What was not tried yet is due since it was made.
    nextAttemptAt: last ? last.nextAttemptAt : row.createdAt,
    attempts: attempts.map(({ at, status, durationMs, error }) => ({
      at,
      status: status === null ? null : Number(status),
      durationMs: Number(durationMs),
      error,
    })),
  };
}
