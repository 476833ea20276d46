import { deliveriesTable } from '#schemas/tables/deliveries';
import { query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

const COLUMNS = selectColumns(deliveriesTable, 'd', ['id', 'eventId', 'eventType', 'createdAt', 'body']);
/** A delivery with its body: the CloudEvent exactly as it is sent by every attempt. */
export type StoredDelivery = RowOf<typeof COLUMNS>;

interface DeliveryKey {
  readonly orgId: string;
  readonly webhookId: string;
  readonly id: string;
  /** Unix ms: older deliveries are not found (`oldestRetainedAt`). */
  readonly since: number;
}

/** Reads a delivery of a webhook; null if there is none. */
export function findDelivery(
  store: Reader,
  { orgId, webhookId, id, since }: DeliveryKey,
): Promise<StoredDelivery | null> {
  // Selects the newest row directly: FINAL would merge the bodies of all deliveries of the webhook.
  return query(store, {
    name: 'delivery',
    sql: `SELECT ${COLUMNS}
     FROM deliveries AS d
     PREWHERE orgId = {orgId:String} AND webhookId = {webhookId:String}
       AND d.createdAt >= fromUnixTimestamp64Milli({since:Int64}) AND id = {id:String}
     ORDER BY version DESC
     LIMIT 1`,
    parameters: { orgId, webhookId, id, since },
    parse: ([found]: StoredDelivery[]) => found ?? null,
  });
}
