/** Reads from the log what a subscription missed since its cursor, then hands it over to the live fan-out. */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import type { EventLog, LogRecord } from '#infra/log/log';
import { type Cursor, formatCursor } from '#schemas/stream/cursor';
import { gapOf } from '../channels/gap.ts';
import { REPLAY_AHEAD_BYTES } from '../connection/limits.ts';
import type { Outgoing } from '../connection/send-queue.ts';
import type { Subscription } from '../connection/subscription.ts';
import type { Hub } from './hub.ts';
import type { Turns } from './turns.ts';

const POLL_RECORDS = 512;
const POLL_TIMEOUT_MS = 250;
/** Bytes that are sent together. */
const SLICE_BYTES = 128 * 1024;
/** How often a client that reads slowly is looked at again: within a turn, and out of it. */
const SLOW_CLIENT_LOOK_MS = 5;
const STALLED_CLIENT_LOOK_MS = 100;
/** How long a turn is held for a client without room; longer ones give it up, so that they hold up nobody else. */
const TURN_WAIT_MS = 1_000;

export interface CatchUpOptions {
  readonly log: EventLog;
  readonly hub: Hub;
  readonly subscription: Subscription;
  readonly since: Cursor;
  readonly turns: Turns;
}

/**
 * The subscription must not be live. On return it is, or it is closed, and has been sent everything after the cursor
 * that the log keeps, in order, once; where the log no longer reaches back to the cursor it has been told by a `gap`.
 */
export async function catchUp(options: CatchUpOptions): Promise<void> {
  const { subscription, turns } = options;
  await turns.run(() => begin(options));
  while (!subscription.closed && !subscription.live) {
    await turns.run(() => readOn(options));
    while (!subscription.closed && !subscription.live && !hasRoom(subscription)) await sleep(STALLED_CLIENT_LOOK_MS);
  }
}

/** Where to read from: after the cursor, or from the first kept record and a `gap` where that is impossible. */
async function begin({ log, hub, subscription, since }: CatchUpOptions): Promise<void> {
  if (subscription.closed) return;
  const { topic, partition } = hub.placeOf(subscription);
  const { first, next } = await log.bounds({ topic: topic.name, partition });
  const epoch = hub.epochOf(topic.name);
  const wanted = since.offset + 1;
  if (since.epoch === epoch && wanted >= first && wanted <= next) {
    subscription.afterOffset = since.offset;
    return;
  }
  subscription.afterOffset = first - 1;
  const to = formatCursor({ epoch, seq: null, offset: first - 1 });
  subscription.connection.tell(gapOf(subscription, formatCursor(since), to));
}

/** One turn of reading: until the live fan-out is reached, or the client has had no room for too long. */
async function readOn({ log, hub, subscription }: CatchUpOptions): Promise<void> {
  if (subscription.closed) return;
  const place = hub.placeOf(subscription);
  const from = { topic: place.topic.name, partition: place.partition, offset: subscription.afterOffset + 1 };
  const reader = await log.reader([from]);
  try {
    // The hub goes on meanwhile; this reading is done once it has passed what the hub has sent to others.
    while (!subscription.closed && subscription.afterOffset < hub.positionOf(place)) {
      const { records } = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      if (!(await deliver(records, hub, subscription))) return;
      await yieldToIo();
    }
    subscription.live = true;
  } finally {
    await reader.close();
  }
}

/** Sends the subscription's own of these records, slice by slice. False when it stopped before the last of them. */
async function deliver(records: readonly LogRecord[], hub: Hub, subscription: Subscription): Promise<boolean> {
  const { channelName, connection } = subscription;
  let slice: Outgoing[] = [];
  let bytes = 0;
  for (const record of records) {
    if (record.key === channelName && record.value) {
      const frame = hub.encodeNow(record) ?? (await hub.encode(record));
      if (frame) slice.push({ frame, subscription });
      bytes += frame?.bytes.length ?? 0;
    }
    if (bytes < SLICE_BYTES && record !== records[records.length - 1]) continue;
    if (slice.length > 0) {
      // A replay never drops: it waits for the client instead.
      const unsent = !(await waitForRoom(subscription));
      if (unsent || subscription.closed) return false;
      connection.deliver(slice);
    }
    subscription.afterOffset = record.offset;
    slice = [];
    bytes = 0;
  }
  return true;
}

function hasRoom({ connection }: Subscription): boolean {
  return connection.waitingBytes < REPLAY_AHEAD_BYTES;
}

async function waitForRoom(subscription: Subscription): Promise<boolean> {
  const deadline = Date.now() + TURN_WAIT_MS;
  while (!subscription.closed && !hasRoom(subscription)) {
    if (Date.now() > deadline) return false;
    await sleep(SLOW_CLIENT_LOOK_MS);
  }
  return true;
}
