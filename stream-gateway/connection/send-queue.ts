/**
 * What a slow client has not taken yet, oldest first, bounded in bytes. When it is full the oldest event frames are
 * dropped and counted per subscription; the count is told before the subscription's next event.
 */
import type { EncodedFrame } from '../fanout/event-frame.ts';
import type { Subscription } from './subscription.ts';

/** An event for a subscription, or a frame of another sort, which is never dropped. */
export type Outgoing =
  | { readonly frame: EncodedFrame; readonly subscription: Subscription }
  | { readonly control: Buffer };

const bytesOf = (item: Outgoing) => ('frame' in item ? item.frame.bytes.length : item.control.length);

export class SendQueue {
  private readonly bytesMax: number;
  private items: (Outgoing | null)[] = [];
  private head = 0;
  private queuedBytes = 0;
  /** Where the next event to drop is looked for; never behind `head`. */
  private dropFrom = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.queuedBytes;
  }

  get empty(): boolean {
    return this.head === this.items.length;
  }

  /** Adds at the end; then drops the oldest events until the queue and `outsideBytes` fit. Returns events dropped. */
  push(item: Outgoing, outsideBytes: number): number {
    this.items.push(item);
    this.queuedBytes += bytesOf(item);
    let dropped = 0;
    while (this.queuedBytes + outsideBytes > this.bytesMax && this.dropOldest()) dropped += 1;
    return dropped;
  }

  /** Takes the oldest, or null. */
  shift(): Outgoing | null {
    while (this.head < this.items.length) {
      const item = this.items[this.head];
      this.items[this.head] = null;
      this.head += 1;
      if (this.head > 1_024 && this.head * 2 > this.items.length) this.compact();
      if (!item) continue;
      this.queuedBytes -= bytesOf(item);
      return item;
    }
    this.compact();
    return null;
  }

  private compact(): void {
    this.items = this.items.slice(this.head);
    this.dropFrom = Math.max(0, this.dropFrom - this.head);
    this.head = 0;
  }

  private dropOldest(): boolean {
    if (this.dropFrom < this.head) this.dropFrom = this.head;
    for (; this.dropFrom < this.items.length; this.dropFrom += 1) {
      const item = this.items[this.dropFrom];
      if (!item || !('frame' in item)) continue;
      this.items[this.dropFrom] = null;
      this.queuedBytes -= bytesOf(item);
      noteDropped(item.subscription, item.frame.seq);
      return true;
    }
    return false;
  }
}

function noteDropped(subscription: Subscription, seq: number): void {
  if (!subscription.lag) {
    subscription.lag = { fromSeq: seq, toSeq: seq, dropped: 1 };
    return;
  }
  subscription.lag.toSeq = seq;
  subscription.lag.dropped += 1;
}
