import type { Store } from '#infra/store/store';

/** A delivery with its bytes. */
export interface StoredDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The CloudEvent as every attempt sent it. */
  readonly body: string;
}

/** Which delivery. */
interface Sought {
  readonly orgId: string;
  readonly webhookId: string;
  readonly id: string;
  /** Unix ms: none that was created before (`deliveriesKeptSince`). */
  readonly since: number;
}

/** A delivery of a webhook, or null. */
export async function findDelivery(
  store: Pick<Store, 'query'>,
  { orgId, webhookId, id, since }: Sought,
): Promise<StoredDelivery | null> {
  // The newest of its rows by itself: FINAL would merge all bodies of the webhook for this one.
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
