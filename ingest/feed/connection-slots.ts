/** The connection slots of a venue's WebSocket, each with the subscriptions that are its own. */
import { SocketFeed, type SocketFeedOptions } from './socket-feed.ts';

/** Subscriptions of each slot, by a name that is equal for equal subscriptions. */
export type Assignment<T> = ReadonlyMap<number, ReadonlyMap<string, T>>;

type SocketOptions = Omit<SocketFeedOptions, 'feed' | 'subscribeFrames' | 'onConnected'>;

export interface ConnectionSlotsOptions<T> extends SocketOptions {
  /** Returns the first frames of a connection, which subscribe to everything of its slot. */
  readonly subscribeFrames: (subscriptions: readonly T[]) => readonly string[];
  /** Returns the frames that change the subscriptions of an open connection. */
  readonly changeFrames: (removed: readonly T[], added: readonly T[]) => readonly string[];
  /** Called when every slot with subscriptions is connected, and when there is nothing to subscribe to. */
  readonly onAllConnected: () => void;
}

interface Slot<T> {
  readonly feed: SocketFeed;
  subscriptions: ReadonlyMap<string, T>;
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
    for (const [index, slot] of this.slots) applyChange(slot, wanted.get(index) ?? new Map<string, T>(), this.options);
    for (const [index, subscriptions] of wanted) if (!this.slots.has(index)) this.open(index, subscriptions);
    if (this.slots.size === 0) this.options.onAllConnected();
  }

  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map(({ feed }) => feed.close()));
  }

  private open(index: number, subscriptions: ReadonlyMap<string, T>): void {
    const { subscribeFrames, onAllConnected } = this.options;
    const feed = new SocketFeed({
      ...this.options,
      feed: `${this.options.source}.${index}`,
      subscribeFrames: () => subscribeFrames([...(this.slots.get(index)?.subscriptions.values() ?? [])]),
      onConnected: () => {
        if ([...this.slots.values()].every((slot) => slot.feed.connected)) onAllConnected();
      },
    });
    this.slots.set(index, { feed, subscriptions });
  }
}

/** Sends only changes, since some venues refuse a repeated subscription. */
function applyChange<T>(slot: Slot<T>, wanted: ReadonlyMap<string, T>, options: ConnectionSlotsOptions<T>): void {
  const before = slot.subscriptions;
  slot.subscriptions = wanted;
  const removed = [...before].filter(([name]) => !wanted.has(name)).map(([, subscription]) => subscription);
  const added = [...wanted].filter(([name]) => !before.has(name)).map(([, subscription]) => subscription);
  if (removed.length + added.length > 0) slot.feed.send(options.changeFrames(removed, added));
}
