/** Reads from the log what a subscription missed since its cursor, then hands it over to the live fan-out. */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import type { EventLog, LogRecord } from '#infra/log/log';
import { formatCursor, type GivenCursor, isOfChannel } from '#schemas/stream/cursor';
import { gapOf } from '../channels/gap.ts';
import type { Connection } from '../connection/connection.ts';
import type { EncodedFrame } from '../connection/event-frame.ts';
import { REPLAY_AHEAD_BYTES } from '../connection/limits.ts';
import type { Subscription } from '../connection/subscription.ts';
import { type ChannelEvent, isRemoved } from './decoder.ts';
import type { FairSlots } from './fair-slots.ts';
import type { ChannelPlace, Hub } from './hub.ts';
import type { RawPayloads } from './raw-payloads.ts';

const POLL_RECORDS = 512;
const POLL_TIMEOUT_MS = 250;
/** Bytes that are sent together. */
const SLICE_BYTES = 128 * 1024;
/** How often a client that reads slowly is looked at again: within a turn, and out of it. */
const SLOW_CLIENT_LOOK_MS = 5;
const STALLED_CLIENT_LOOK_MS = 100;
/** How long a turn is held for a client without room; longer ones give it up, so that they hold up nobody else. */
const TURN_WAIT_MS = 1_000;
/** Bytes read, whosever they are, after which a turn goes to the next in line: a long history is read in many turns. */
const TURN_BYTES = 8 * 1024 * 1024;

/** Where a client wants to go on: after a cursor, or from the first kept event. */
export type Since = { readonly text: string; readonly cursor: GivenCursor } | 'earliest';

export interface CatchUpOptions {
  readonly log: EventLog;
  readonly hub: Pick<Hub, 'placeOf' | 'positionOf' | 'newestSeqOf' | 'epochOf' | 'decoder' | 'goLive' | 'noteHole'>;
  readonly subscription: Subscription;
  readonly since: Since;
  readonly slots: FairSlots<Connection>;
  /** Tells the client that it is subscribed, at this cursor. */
  readonly acknowledge: (cursor: string) => void;
}

/**
 * The subscription must not be live. On return it is, or it is closed, and has been sent everything after the cursor
 * that the log keeps, in order, once; where the log no longer reaches back to the cursor it has been told by a `gap`.
 */
export async function catchUp(options: CatchUpOptions): Promise<void> {
  const { subscription, slots, since, acknowledge } = options;
  const { connection } = subscription;
  if (since !== 'earliest') acknowledge(since.text);
  await slots.run(connection, () => begin(options));
  while (!subscription.closed && !subscription.live) {
    await slots.run(connection, () => readOn(options));
    while (!subscription.closed && !subscription.live && !hasRoom(subscription)) await sleep(STALLED_CLIENT_LOOK_MS);
  }
}

/** Where to read from: after the cursor, or from the first kept record and a `gap` where that is impossible. */
async function begin({ log, hub, subscription, since, acknowledge }: CatchUpOptions): Promise<void> {
  if (subscription.closed) return;
  const { first, next, epoch } = await boundsInEpoch(log, hub, hub.placeOf(subscription));
  if (subscription.closed) return;
  const { channelName: channel } = subscription;
  const beginning = formatCursor({ epoch, channel, seq: null, offset: first - 1 });
  if (since === 'earliest') {
    subscription.afterOffset = first - 1;
    acknowledge(beginning);
    return;
  }
  const { cursor } = since;
  const wanted = cursor.offset + 1;
  const isKept = cursor.epoch === epoch && wanted >= first && wanted <= next;
  if (isKept && isOfChannel(cursor, channel) && !isAhead(hub, subscription, cursor)) {
    subscription.afterOffset = cursor.offset;
    subscription.afterSeq = cursor.seq ?? 0;
    subscription.afterSeqIsGiven = cursor.seq !== null;
    return;
  }
  subscription.afterOffset = first - 1;
  subscription.connection.tell(gapOf(subscription, since.text, beginning));
}

/** Whether a cursor of this epoch has a number that its channel had not reached there: it was never given out. */
function isAhead(hub: CatchUpOptions['hub'], subscription: Subscription, { seq, offset }: GivenCursor): boolean {
  const newestSeq = hub.newestSeqOf(subscription.channelName);
  // Another node may be ahead of this one; what lies behind its own position it knows.
  return newestSeq > 0 && offset <= hub.positionOf(hub.placeOf(subscription)) && (seq ?? 0) > newestSeq;
}

/** The bounds of a place and the epoch that they belong to. */
async function boundsInEpoch(log: EventLog, hub: CatchUpOptions['hub'], { topic, partition }: ChannelPlace) {
  for (;;) {
    const epoch = hub.epochOf(topic.name);
    const bounds = await log.bounds({ topic: topic.name, partition });
    // A rebuild in between: bounds of one epoch say nothing of another.
    if (hub.epochOf(topic.name) === epoch) return { ...bounds, epoch };
  }
}

/** One turn of reading: until the live fan-out is reached, the turn is over, or the topic was rebuilt. */
async function readOn({ log, hub, subscription }: CatchUpOptions): Promise<void> {
  const place = hub.placeOf(subscription);
  const at = { topic: place.topic.name, partition: place.partition };
  const epoch = hub.epochOf(at.topic);
  // The hub starts the subscription over when the epoch changes; what was read of the old one must not move it then.
  const isOver = () => subscription.closed || hub.epochOf(at.topic) !== epoch;
  if (isOver()) return;
  const reader = await log.reader([{ ...at, offset: subscription.afterOffset + 1 }]);
  const payloads = hub.decoder.openPayloads(() => subscription.closed);
  const isOwn = (record: LogRecord) => isEventOf(subscription, record);
  try {
    let read = 0;
    // The hub goes on meanwhile; this reading is done once it has passed what the hub has sent to others.
    while (!isOver() && subscription.afterOffset < hub.positionOf(place)) {
      if (read + payloads.bytesRead >= TURN_BYTES) return;
      const { records } = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      if (records.length === 0) await skipRemoved({ log, hub, subscription, isOver });
      for await (const part of hub.decoder.withPayloads(records, isOwn, payloads))
        if (!(await deliver({ records: part, hub, subscription, payloads, isOver }))) return;
      for (const { key, value } of records) read += key.length + (value?.length ?? 0);
      await yieldToIo();
    }
    if (isOver()) return;
    sendRemoved(hub, subscription);
    hub.goLive(subscription);
  } finally {
    await reader.close();
    await payloads.close();
  }
}

interface Reading {
  readonly hub: CatchUpOptions['hub'];
  readonly subscription: Subscription;
  /** Whether the subscription is closed or was started over. */
  readonly isOver: () => boolean;
}

/** Retention can remove what was still to be read: that is told, and the reading goes on behind it. */
async function skipRemoved({ log, hub, subscription, isOver }: Reading & { readonly log: EventLog }): Promise<void> {
  const { first, epoch } = await boundsInEpoch(log, hub, hub.placeOf(subscription));
  if (isOver() || first - 1 <= subscription.afterOffset) return;
  tellGap(subscription, epoch, { seq: null, offset: first - 1 });
  subscription.afterOffset = first - 1;
  subscription.afterSeq = 0;
  subscription.afterSeqIsGiven = false;
}

/** Begins where the client stands, with what was removed before. */
function tellGap(subscription: Subscription, epoch: string, to: { readonly seq: number | null; offset: number }): void {
  const { channelName: channel, removedAfter, afterSeq, afterOffset, connection } = subscription;
  const { seq, offset } = removedAfter ?? { seq: afterSeq, offset: afterOffset };
  subscription.removedAfter = null;
  const from = formatCursor({ epoch, channel, seq: seq === 0 ? null : seq, offset });
  connection.tell(gapOf(subscription, from, formatCursor({ epoch, channel, ...to })));
}

function isEventOf({ channelName }: Subscription, { key, value }: LogRecord): boolean {
  return key === channelName && value !== null;
}

/** Sends the subscription's own of these records, slice by slice. False when it stopped before the last. */
async function deliver(reading: Reading & { records: readonly LogRecord[]; payloads: RawPayloads }): Promise<boolean> {
  const { records, hub, subscription, payloads, isOver } = reading;
  const { decoder } = hub;
  if (isOver()) return false;
  let slice: EncodedFrame[] = [];
  let bytes = 0;
  for (const record of records) {
    if (isEventOf(subscription, record)) {
      const event = decoder.eventNow(record, payloads) ?? (await decoder.eventOf(record, payloads));
      if (isOver()) return false;
      const newest = slice.at(-1)?.seq ?? subscription.afterSeq;
      // The log may hold an event twice.
      if (event && event.seq > newest) {
        if (isRemoved(event) || (newest > 0 && event.seq > newest + 1)) {
          if (!(await send(slice, reading))) return false;
          slice = [];
          if (newest > 0 && event.seq > newest + 1) tellMissing(hub, subscription, event);
        }
        if (isRemoved(event)) passOver(subscription, event);
        else {
          sendRemoved(hub, subscription);
          slice.push(event);
          bytes += event.size;
        }
      }
    }
    if (bytes < SLICE_BYTES && record !== records[records.length - 1]) continue;
    if (!(await send(slice, reading))) return false;
    subscription.afterOffset = record.offset;
    slice = [];
    bytes = 0;
  }
  return true;
}

/** Goes on to an event that has lost its payload. */
function passOver(subscription: Subscription, { seq, offset }: ChannelEvent): void {
  subscription.removedAfter ??= { seq: subscription.afterSeq, offset: subscription.afterOffset };
  subscription.afterSeq = seq;
  subscription.afterSeqIsGiven = false;
  subscription.afterOffset = offset;
}

/** Tells that events have lost their payloads, if the last ones have. */
function sendRemoved(hub: CatchUpOptions['hub'], subscription: Subscription): void {
  const { removedAfter, afterSeq: seq, afterOffset: offset } = subscription;
  if (removedAfter) tellGap(subscription, hub.epochOf(hub.placeOf(subscription).topic.name), { seq, offset });
}

/** Tells of the numbers that are missing between what the client has and this event; a cursor alone proves no fault of the log. */
function tellMissing(hub: CatchUpOptions['hub'], subscription: Subscription, event: ChannelEvent): void {
  const { seq, offset } = event;
  if (!subscription.afterSeqIsGiven) hub.noteHole(subscription, subscription.afterSeq + 1, seq - 1);
  const epoch = hub.epochOf(hub.placeOf(subscription).topic.name);
  // The gap over events without payloads covers it.
  if (!isRemoved(event)) tellGap(subscription, epoch, { seq: seq - 1, offset: offset - 1 });
}

/** A replay never drops: it waits for the client instead. False when the turn is over before there was room. */
async function send(slice: readonly EncodedFrame[], { subscription, isOver }: Reading): Promise<boolean> {
  const last = slice.at(-1);
  if (!last) return true;
  if (!(await waitForRoom(subscription)) || isOver()) return false;
  subscription.connection.gather(slice, subscription);
  subscription.connection.flush();
  subscription.afterOffset = last.offset;
  subscription.afterSeq = last.seq;
  subscription.afterSeqIsGiven = false;
  return true;
}

function hasRoom({ connection }: Subscription): boolean {
  return !connection.isTooSlow && connection.waitingBytes < REPLAY_AHEAD_BYTES;
}

async function waitForRoom(subscription: Subscription): Promise<boolean> {
  const deadline = Date.now() + TURN_WAIT_MS;
  while (!subscription.closed && !hasRoom(subscription)) {
    if (Date.now() > deadline) return false;
    await sleep(SLOW_CLIENT_LOOK_MS);
  }
  return true;
}
