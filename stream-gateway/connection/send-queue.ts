/**
 * Frames that wait for a slow client, oldest first, bounded in bytes. When it is full the oldest event frames are
 * dropped and counted per subscription; the count is sent before the subscription's next event.
 */
import type { EncodedFrame } from './event-frame.ts';
import type { Receiver } from './receiver.ts';

/** An event for a subscription, or a control frame, which is never dropped. */
export type Outgoing = { readonly frame: EncodedFrame; readonly subscription: Receiver } | { readonly control: Buffer };

/** Number of empty slots below which the queue is not compacted. */
const EMPTY_SLOTS_MIN = 1_024;

const bytesOf = (item: Outgoing) => ('frame' in item ? item.frame.size : item.control.length);

export class SendQueue {
  private readonly bytesMax: number;
  /** Null where an item was removed. */
  private items: (Outgoing | null)[] = [];
  private head = 0;
  private length = 0;
  private controlFrames = 0;
  private queuedBytes = 0;
  /** Index at which the search for the next event to drop starts: there is none before it. */
  private dropFrom = 0;

  /** @param bytesMax the size that `push` enforces, as far as events can be dropped. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.queuedBytes;
  }

  get empty(): boolean {
    return this.length === 0;
  }

  /** Number of waiting control frames. */
  get controls(): number {
    return this.controlFrames;
  }

  /** Adds at the end; then drops the oldest events until the queue and `outsideBytes` fit. Returns events dropped. */
  push(item: Outgoing, outsideBytes: number): number {
    this.items.push(item);
    this.length += 1;
    this.queuedBytes += bytesOf(item);
    if ('control' in item) this.controlFrames += 1;
    let dropped = 0;
    while (this.queuedBytes + outsideBytes > this.bytesMax && this.dropOldest()) dropped += 1;
    return dropped;
  }

  /** Removes and returns the oldest item, or null. */
  shift(): Outgoing | null {
    for (; this.head < this.items.length; this.head += 1) {
      const item = this.items[this.head];
      if (!item) continue;
      this.remove(this.head, item);
      if ('control' in item) this.controlFrames -= 1;
      return item;
    }
    return null;
  }

  /** Drops every event; control frames stay. Returns events dropped. */
  dropEvents(): number {
    let dropped = 0;
    while (this.dropOldest()) dropped += 1;
    return dropped;
  }

  private dropOldest(): boolean {
    if (this.dropFrom < this.head) this.dropFrom = this.head;
    for (; this.dropFrom < this.items.length; this.dropFrom += 1) {
      const item = this.items[this.dropFrom];
      if (!item || 'control' in item) continue;
      this.remove(this.dropFrom, item);
      recordDropped(item.subscription, item.frame.seq);
      return true;
    }
    return false;
  }

  private remove(index: number, item: Outgoing): void {
    this.items[index] = null;
    this.length -= 1;
    this.queuedBytes -= bytesOf(item);
    if (this.items.length > 2 * this.length + EMPTY_SLOTS_MIN) this.compact();
  }

  /** Removes empty slots; costs no more than creating them did. */
  private compact(): void {
    const isFilled = (item: Outgoing | null) => item !== null;
    this.dropFrom = this.items.slice(this.head, Math.max(this.head, this.dropFrom)).filter(isFilled).length;
    this.items = this.items.filter(isFilled);
    this.head = 0;
  }
}

/** Counts an event that its subscription will not get. */
export function recordDropped(subscription: Receiver, seq: number): void {
  if (!subscription.dropped) {
    subscription.dropped = { fromSeq: seq, toSeq: seq, dropped: 1 };
    return;
  }
  subscription.dropped.toSeq = seq;
  subscription.dropped.dropped += 1;
}
