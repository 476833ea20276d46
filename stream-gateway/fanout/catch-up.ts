/** Reads from the log what a subscription missed since its cursor, then hands it over to the live fan-out. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '#infra/log/log';
import { type Cursor, formatCursor } from '#schemas/stream/cursor';
import { SEND_QUEUE_BYTES_RECOVERED } from '../connection/limits.ts';
import type { Subscription } from '../connection/subscription.ts';
import type { Hub } from './hub.ts';

const POLL_RECORDS = 1_024;
const POLL_TIMEOUT_MS = 1_000;
/** How often a client that reads slowly is looked at again. */
const SLOW_CLIENT_WAIT_MS = 20;

export interface CatchUpOptions {
  readonly log: EventLog;
  readonly hub: Hub;
  readonly subscription: Subscription;
  /** A cursor, or `earliest` for all that is kept. */
  readonly since: Cursor | 'earliest';
  /** REST path that fills the hole where one can, for `gap`. */
  readonly refill: string | null;
}

/**
 * The subscription must not be live. On return it is, and has been sent everything after the cursor that the log
 * keeps, in order, once; where the log no longer reaches back to the cursor it has been told by a `gap`.
 */
export async function catchUp({ log, hub, subscription, since, refill }: CatchUpOptions): Promise<void> {
  const place = hub.placeOf(subscription);
  const at = { topic: place.topic.name, partition: place.partition };
  const epoch = await hub.epochOf(at.topic);
  const { first, next } = await log.bounds(at);
  const wanted = since === 'earliest' ? first : since.offset + 1;
  const reachable = since === 'earliest' || (since.epoch === epoch && wanted >= first && wanted <= next);
  const offset = reachable ? wanted : first;
  if (!reachable) {
    subscription.connection.tell({
      type: 'gap',
      subscription_id: subscription.id,
      from: formatCursor(since),
      to: formatCursor({ epoch, seq: null, offset: first - 1 }),
      refill,
    });
  }
  subscription.afterOffset = offset - 1;
  const reader = await log.reader([{ ...at, offset }]);
  try {
    // The hub goes on meanwhile; this reading is done once it has passed what the hub has sent to others.
    while (!subscription.closed && subscription.afterOffset < hub.positionOf(place)) {
      const { records } = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      const connection = subscription.connection;
      for (const record of records) {
        if (subscription.closed) return;
        if (record.key === subscription.channelName && record.value) {
          connection.gather(await hub.encode(record), subscription);
        }
        subscription.afterOffset = record.offset;
      }
      connection.flush(Date.now());
      // A replay never drops: it waits for the client instead.
      while (!subscription.closed && connection.waitingBytes > SEND_QUEUE_BYTES_RECOVERED)
        await sleep(SLOW_CLIENT_WAIT_MS);
    }
    subscription.live = true;
  } finally {
    await reader.close();
  }
}
