/** Sends the subscriptions of a slot to a venue that does not confirm them: all in the first frames, then changes. */
import type { SlotSubscriber, Subscriptions } from './connection-slots.ts';
import type { SocketLink } from './socket-feed.ts';

export interface SubscriptionFrames<T> {
  /** Returns the first frames of a connection, which subscribe to everything of its slot. */
  readonly subscribe: (subscriptions: readonly T[]) => readonly string[];
  /** Returns the frames that change the subscriptions of an open connection. */
  readonly change: (removed: readonly T[], added: readonly T[]) => readonly string[];
}

export class FrameSubscriber<T> implements SlotSubscriber<T> {
  private readonly frames: SubscriptionFrames<T>;
  private link: SocketLink | null = null;
  /** The subscriptions of the current connection. */
  private subscribed: Subscriptions<T> = new Map();

  constructor(frames: SubscriptionFrames<T>) {
    this.frames = frames;
  }

  connected(link: SocketLink, wanted: Subscriptions<T>): void {
    this.link = link;
    this.subscribed = wanted;
    this.send(this.frames.subscribe([...wanted.values()]));
  }

  /** Sends only changes, since some venues refuse a repeated subscription. */
  changed(wanted: Subscriptions<T>): void {
    const before = this.subscribed;
    this.subscribed = wanted;
    const removed = [...before].filter(([name]) => !wanted.has(name)).map(([, subscription]) => subscription);
    const added = [...wanted].filter(([name]) => !before.has(name)).map(([, subscription]) => subscription);
    if (removed.length + added.length > 0) this.send(this.frames.change(removed, added));
  }

  /** Frames of equal priority stay in order. */
  private send(frames: readonly string[]): void {
    // It rejects when the connection ends, and the next one subscribes to everything. The link reports other errors.
    for (const frame of frames) this.link?.send(frame, 0).catch(() => {});
  }
}
