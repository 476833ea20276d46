/** Reads from the log what a subscription missed since its cursor, then switches it to the live fan-out. */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import type { EventLog, LogRecord } from '#infra/log/log';
import { matchesChannel, type ParsedCursor } from '#schemas/stream/cursor';
import { cursorOf, sendGap } from '../channels/gap.ts';
import type { Connection } from '../connection/connection.ts';
import type { EncodedFrame } from '../connection/event-frame.ts';
import type { EventId } from '../connection/receiver.ts';
import type { Subscription } from '../connection/subscription.ts';
import { type ChannelEvent, isRemoved } from './decoder.ts';
import type { FairScheduler } from './fair-scheduler.ts';
import type { ChannelLocation, Hub } from './hub.ts';
import type { RawPayloads } from './raw-payloads.ts';

const POLL_RECORDS = 512;
const POLL_TIMEOUT_MS = 250;
/** Bytes that are sent in one batch. */
const SLICE_BYTES = 128 * 1024;
/** How often a slow client is checked for room again: within a turn, and between turns. */
const SLOW_CLIENT_POLL_MS = 5;
const STALLED_CLIENT_POLL_MS = 100;
/** How long a turn waits for a client without room. After that the turn ends, so that others are not delayed. */
const TURN_WAIT_MS = 1_000;
/** Bytes read, of any channel, after which a turn ends: a long history is read in many turns. */
const TURN_BYTES = 8 * 1024 * 1024;

/** Where a replay starts: after a cursor, or at the first retained event. */
export type Since = { readonly text: string; readonly cursor: ParsedCursor } | 'earliest';

export interface CatchUpOptions {
  readonly log: EventLog;
  readonly hub: Pick<
    Hub,
    | 'locationOf'
    | 'dispatchedOffset'
    | 'newestSeqOf'
    | 'epochOf'
    | 'epochOfChannel'
    | 'decoder'
    | 'goLive'
    | 'reportGap'
  >;
  readonly subscription: Subscription;
  readonly since: Since;
  /** Aborts once the subscription is closed. */
  readonly signal: AbortSignal;
  readonly scheduler: FairScheduler<Connection>;
  /** Sends the client the acknowledgement with this cursor. */
  readonly acknowledge: (cursor: string) => void;
}

/**
 * Replays history to a subscription that is not live. On return it is live or closed, and has been sent everything
 * after the cursor that the log holds, in order and once. Where the log no longer reaches back to the cursor it was
 * sent a `gap`.
 */
export async function catchUp(options: CatchUpOptions): Promise<void> {
  const { subscription, scheduler, since, acknowledge } = options;
  const { connection } = subscription;
  if (since !== 'earliest') acknowledge(since.text);
  await scheduler.run(connection, () => resolveStart(options));
  while (!subscription.closed && !subscription.live) {
    await scheduler.run(connection, () => readTurn(options));
    if (!subscription.closed && !subscription.live) await untilRoom(connection);
  }
}

/**
 * Sets where to read from: after the cursor, or, where that is impossible, at the first retained record after a `gap`.
 */
async function resolveStart({ log, hub, subscription, since, acknowledge }: CatchUpOptions): Promise<void> {
  if (subscription.closed) return;
  const { first, next, epoch } = await boundsInEpoch(log, hub, hub.locationOf(subscription));
  if (subscription.closed) return;
  const { channelName, progress } = subscription;
  const startCursor = cursorOf(subscription, epoch, { seq: 0, offset: first - 1 });
  if (since === 'earliest') {
    progress.restart(first - 1);
    acknowledge(startCursor);
    return;
  }
  const { cursor } = since;
  const wanted = cursor.offset + 1;
  const isRetained = cursor.epoch === epoch && wanted >= first && wanted <= next;
  if (isRetained && matchesChannel(cursor, channelName) && !isAhead(hub, subscription, cursor)) {
    progress.startAfterCursor(cursor);
    return;
  }
  progress.restart(first - 1);
  sendGap(subscription, since.text, startCursor);
}

/** True if a cursor of this epoch has a number above those of its channel at that offset: it was never issued. */
function isAhead(hub: CatchUpOptions['hub'], subscription: Subscription, { seq, offset }: ParsedCursor): boolean {
  const newestSeq = hub.newestSeqOf(subscription.channelName);
  // Another node may be ahead of this one; this node can check only offsets that it has dispatched.
  return newestSeq > 0 && offset <= hub.dispatchedOffset(subscription) && (seq ?? 0) > newestSeq;
}

/** The bounds of a partition and the epoch that they belong to. */
async function boundsInEpoch(log: EventLog, hub: CatchUpOptions['hub'], { topic, partition }: ChannelLocation) {
  for (;;) {
    const epoch = hub.epochOf(topic.name);
    const bounds = await log.bounds({ topic: topic.name, partition });
    // After a rebuild in between the bounds belong to another epoch, so they are read again.
    if (hub.epochOf(topic.name) === epoch) return { ...bounds, epoch };
  }
}

/** Reads for one turn: until it reaches the live fan-out, uses up the turn, or the topic is rebuilt. */
async function readTurn({ log, hub, subscription, signal }: CatchUpOptions): Promise<void> {
  const { progress } = subscription;
  const { topic, partition } = hub.locationOf(subscription);
  const at = { topic: topic.name, partition };
  const epoch = hub.epochOf(at.topic);
  // The hub resets the subscription when the epoch changes. Records of the old epoch must not move it then.
  const isCancelled = () => subscription.closed || hub.epochOf(at.topic) !== epoch;
  if (isCancelled()) return;
  const reader = await log.reader([{ ...at, offset: progress.offset + 1 }]);
  const payloads = hub.decoder.openPayloads(signal);
  const isOwn = (record: LogRecord) => isEventOf(subscription, record);
  try {
    let read = 0;
    // The hub continues meanwhile; the replay is complete once it has read all that the hub dispatched.
    while (!isCancelled() && progress.offset < hub.dispatchedOffset(subscription)) {
      if (read + payloads.bytesRead >= TURN_BYTES) return;
      const { records } = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      if (records.length === 0) await skipToRetained({ log, hub, subscription, isCancelled });
      for await (const part of hub.decoder.withPayloads(records, isOwn, payloads))
        if (!(await deliver({ records: part, hub, subscription, payloads, isCancelled }))) return;
      for (const { key, value } of records) read += key.length + (value?.length ?? 0);
      await yieldToIo();
    }
    if (isCancelled()) return;
    sendRemovedGap(hub, subscription);
    hub.goLive(subscription);
  } finally {
    await reader.close();
    await payloads.close();
  }
}

interface ReplayTurn {
  readonly hub: CatchUpOptions['hub'];
  readonly subscription: Subscription;
  /** True once the subscription is closed or was reset to a new epoch. */
  readonly isCancelled: () => boolean;
}

/**
 * Retention can remove records that were still to be read. The client is sent a `gap`, and reading continues behind it.
 */
async function skipToRetained({
  log,
  hub,
  subscription,
  isCancelled,
}: ReplayTurn & { readonly log: EventLog }): Promise<void> {
  const { first, epoch } = await boundsInEpoch(log, hub, hub.locationOf(subscription));
  const { progress } = subscription;
  if (isCancelled() || first - 1 <= progress.offset) return;
  sendGapTo(subscription, epoch, { seq: 0, offset: first - 1 });
  progress.restart(first - 1);
}

/** Sends a `gap` from the last event that was sent to this one. */
function sendGapTo(subscription: Subscription, epoch: string, last: EventId): void {
  const from = cursorOf(subscription, epoch, subscription.progress.beginGap());
  sendGap(subscription, from, cursorOf(subscription, epoch, last));
}

function isEventOf({ channelName }: Subscription, { key, value }: LogRecord): boolean {
  return key === channelName && value !== null;
}

/** Sends the subscription's own events of these records, slice by slice. False if it stopped before the last one. */
async function deliver(turn: ReplayTurn & { records: readonly LogRecord[]; payloads: RawPayloads }): Promise<boolean> {
  const { records, hub, subscription, payloads, isCancelled } = turn;
  const { decoder } = hub;
  const { progress } = subscription;
  if (isCancelled()) return false;
  let slice: EncodedFrame[] = [];
  let bytes = 0;
  for (const record of records) {
    if (isEventOf(subscription, record)) {
      const event = decoder.tryDecode(record, payloads) ?? (await decoder.decode(record, payloads));
      if (isCancelled()) return false;
      const newest = slice.at(-1)?.seq ?? progress.seq;
      // The log may hold an event twice.
      if (event && event.seq > newest) {
        if (isRemoved(event) || (newest > 0 && event.seq > newest + 1)) {
          if (!(await send(slice, turn))) return false;
          slice = [];
          if (newest > 0 && event.seq > newest + 1) sendMissingGap(hub, subscription, event);
        }
        if (isRemoved(event)) progress.skipRemoved(event);
        else {
          sendRemovedGap(hub, subscription);
          slice.push(event);
          bytes += event.size;
        }
      }
    }
    if (bytes < SLICE_BYTES && record !== records[records.length - 1]) continue;
    if (!(await send(slice, turn))) return false;
    progress.skipTo(record.offset);
    slice = [];
    bytes = 0;
  }
  return true;
}

/** Sends a `gap` for the last events if their payloads were removed. */
function sendRemovedGap(hub: CatchUpOptions['hub'], subscription: Subscription): void {
  const { progress } = subscription;
  if (progress.endsWithRemoved) sendGapTo(subscription, hub.epochOfChannel(subscription), progress);
}

/**
 * Sends a `gap` for the numbers missing before this event, and reports it unless the number comes from a client's
 * cursor, which proves no fault of the log.
 */
function sendMissingGap(hub: CatchUpOptions['hub'], subscription: Subscription, event: ChannelEvent): void {
  const { seq, offset } = event;
  const { progress } = subscription;
  if (!progress.isSeqFromClient) hub.reportGap(subscription, progress.seq + 1, seq - 1);
  // The gap for removed payloads covers it.
  if (isRemoved(event)) return;
  sendGapTo(subscription, hub.epochOfChannel(subscription), { seq: seq - 1, offset: offset - 1 });
}

/**
 * Sends a slice. A replay never drops events; it waits for the client, and for the next window of its quota, instead.
 * False if the turn ended before there was room.
 */
async function send(slice: readonly EncodedFrame[], { subscription, isCancelled }: ReplayTurn): Promise<boolean> {
  for (let rest = slice; rest.length > 0; ) {
    if (!(await waitForRoom(subscription)) || isCancelled()) return false;
    const sent = subscription.connection.sendAccepted(rest, subscription);
    if (sent === 0) continue;
    subscription.progress.advance(rest[sent - 1]!);
    rest = rest.slice(sent);
  }
  return true;
}

async function waitForRoom(subscription: Subscription): Promise<boolean> {
  const { connection } = subscription;
  const deadline = Date.now() + TURN_WAIT_MS;
  while (!subscription.closed && !connection.acceptsEvents) {
    if (Date.now() > deadline) return false;
    connection.reportUsedQuota();
    await sleep(SLOW_CLIENT_POLL_MS);
  }
  return true;
}

/** The waits between turns, one for all replays of a connection. */
const waits = new WeakMap<Connection, Promise<void>>();

/** Resolves once the connection has room for events, or is closed. */
function untilRoom(connection: Connection): Promise<void> {
  if (connection.closed || connection.acceptsEvents) return Promise.resolve();
  let wait = waits.get(connection);
  if (!wait) {
    wait = pollUntilRoom(connection).finally(() => waits.delete(connection));
    waits.set(connection, wait);
  }
  return wait;
}

async function pollUntilRoom(connection: Connection): Promise<void> {
  while (!connection.closed && !connection.acceptsEvents) {
    connection.reportUsedQuota();
    await sleep(STALLED_CLIENT_POLL_MS);
  }
}
