/** The connection slots of a venue's WebSocket, each with the subscriptions that are its own. */
import { SocketFeed, type SocketFeedOptions, type SocketLink } from './socket-feed.ts';

/** Subscriptions by a name that is equal for equal subscriptions, the most important first. */
export type Subscriptions<T> = ReadonlyMap<string, T>;
/** Subscriptions of each slot. */
export type Assignment<T> = ReadonlyMap<number, Subscriptions<T>>;

/** Sends the subscriptions of one slot, in the protocol of a venue. */
export interface SlotSubscriber<T> {
  /** Called with each new connection, which has no subscription yet. */
  readonly connected: (link: SocketLink, wanted: Subscriptions<T>) => void;
  /** Called when the subscriptions change while the slot is connected, and while it is not. */
  readonly changed: (wanted: Subscriptions<T>) => void;
  /** Called with each frame of the venue. */
  readonly handleFrame?: (frame: Buffer) => void;
}

type SocketOptions = Omit<SocketFeedOptions, 'feed' | 'priority' | 'onConnected'>;

export interface ConnectionSlotsOptions<T> extends SocketOptions {
  /** Creates the subscriber of a slot. */
  readonly subscriber: () => SlotSubscriber<T>;
  /** Called when every slot with subscriptions is connected, and when there is nothing to subscribe to. */
  readonly onAllConnected: () => void;
}

interface Slot<T> {
  readonly feed: SocketFeed;
  readonly subscriber: SlotSubscriber<T>;
  subscriptions: Subscriptions<T>;
}

export class ConnectionSlots<T> {
  private readonly options: ConnectionSlotsOptions<T>;
  private readonly slots = new Map<number, Slot<T>>();

  constructor(options: ConnectionSlotsOptions<T>) {
    this.options = options;
  }

  /** The current subscriptions of all slots. */
  subscriptions(): T[] {
    return [...this.slots.values()].flatMap(({ subscriptions }) => [...subscriptions.values()]);
  }

  /** Changes the subscriptions to these. An open slot stays open even without subscriptions. */
  update(wanted: Assignment<T>): void {
    for (const [index, slot] of this.slots) {
      slot.subscriptions = wanted.get(index) ?? new Map<string, T>();
      slot.subscriber.changed(slot.subscriptions);
    }
    for (const [index, subscriptions] of wanted) if (!this.slots.has(index)) this.open(index, subscriptions);
    if (this.slots.size === 0) this.options.onAllConnected();
  }

  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map(({ feed }) => feed.close()));
  }

  private open(index: number, subscriptions: Subscriptions<T>): void {
    const { subscriber: create, onAllConnected, onFrame } = this.options;
    const subscriber = create();
    const feed = new SocketFeed({
      ...this.options,
      feed: `${this.options.source}.${index}`,
      priority: index,
      onFrame: (frame) => {
        subscriber.handleFrame?.(frame);
        onFrame?.(frame);
      },
      onConnected: (link) => {
        subscriber.connected(link, this.slots.get(index)?.subscriptions ?? subscriptions);
        if ([...this.slots.values()].every((slot) => slot.feed.connected)) onAllConnected();
      },
    });
    this.slots.set(index, { feed, subscriber, subscriptions });
  }
}
