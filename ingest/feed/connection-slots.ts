/** The connection slots of a venue's WebSocket, each with the subscriptions that are its own. */
import { SocketFeed, type SocketFeedOptions } from './socket-feed.ts';

/** What there is to subscribe to over each slot, by a name that tells equal subscriptions. */
export type Assignment<T> = ReadonlyMap<number, ReadonlyMap<string, T>>;

type SocketOptions = Omit<SocketFeedOptions, 'feed' | 'hello' | 'onConnected'>;

export interface ConnectionSlotsOptions<T> extends SocketOptions {
  /** The first frames of a connection: everything it is for. */
  readonly hello: (subscriptions: readonly T[]) => readonly string[];
  /** The frames that bring an open connection from what it was for to what it is for. */
  readonly change: (gone: readonly T[], added: readonly T[]) => readonly string[];
  /** Told when every slot that has something to watch is connected; also when there is nothing to watch. */
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

  /** What is subscribed to now. */
  current(): T[] {
    return [...this.slots.values()].flatMap(({ subscriptions }) => [...subscriptions.values()]);
  }

  /** Brings what is subscribed to in line. A slot once opened stays open, also when nothing is left for it. */
  want(wanted: Assignment<T>): void {
    for (const [index, slot] of this.slots) change(slot, wanted.get(index) ?? new Map<string, T>(), this.options);
    for (const [index, subscriptions] of wanted) if (!this.slots.has(index)) this.open(index, subscriptions);
    if (this.slots.size === 0) this.options.onAllConnected();
  }

  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map(({ feed }) => feed.close()));
  }

  private open(index: number, subscriptions: ReadonlyMap<string, T>): void {
    const { hello, onAllConnected } = this.options;
    const feed = new SocketFeed({
      ...this.options,
      feed: `${this.options.source}.${index}`,
      hello: () => hello([...(this.slots.get(index)?.subscriptions.values() ?? [])]),
      onConnected: () => {
        if ([...this.slots.values()].every((slot) => slot.feed.connected)) onAllConnected();
      },
    });
    this.slots.set(index, { feed, subscriptions });
  }
}

/** Subscribing twice to the same thing is an error at some venues, so only what changed is sent. */
function change<T>(slot: Slot<T>, wanted: ReadonlyMap<string, T>, options: ConnectionSlotsOptions<T>): void {
  const before = slot.subscriptions;
  slot.subscriptions = wanted;
  const gone = [...before].filter(([name]) => !wanted.has(name)).map(([, subscription]) => subscription);
  const added = [...wanted].filter(([name]) => !before.has(name)).map(([, subscription]) => subscription);
  if (gone.length + added.length > 0) slot.feed.send(options.change(gone, added));
}
