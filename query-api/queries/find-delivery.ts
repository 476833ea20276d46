import type { Store } from '#infra/store/store';

/** A delivery with its body. */
export interface StoredDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The CloudEvent exactly as it is sent by every attempt. */
  readonly body: string;
}

interface DeliveryKey {
  readonly orgId: string;
  readonly webhookId: string;
  readonly id: string;
  /** Unix ms: older deliveries are not found (`oldestRetainedAt`). */
  readonly since: number;
}

/** Reads a delivery of a webhook; null if there is none. */
export async function findDelivery(
  store: Pick<Store, 'query'>,
  { orgId, webhookId, id, since }: DeliveryKey,
): Promise<StoredDelivery | null> {
  // Selects the newest row directly: FINAL would merge the bodies of all deliveries of the webhook.
  const [found] = await store.query<StoredDelivery>(
    `SELECT id, eventId, eventType, body
     FROM deliveries
     PREWHERE orgId = {orgId:String} AND webhookId = {webhookId:String}
       AND createdAt >= fromUnixTimestamp64Milli({since:Int64}) AND id = {id:String}
     ORDER BY version DESC
     LIMIT 1`,
    { orgId, webhookId, id, since },
  );
  return found ?? null;
}
