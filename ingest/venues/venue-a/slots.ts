/** The connection slots of venue_a, each with the subscriptions that are its own. */
import { Budget } from '../../feed/budget.ts';
import { SocketFeed } from '../../feed/socket-feed.ts';
import type { AdapterContext } from '../adapter.ts';
import { CONNECTION_BUDGET, HEARTBEAT, MESSAGE_BUDGET, SLOTS, SUBSCRIPTIONS_MAX } from './declaration.ts';
import { type Subscription, slotOf, subscribeFrame, unsubscribeFrame } from './subscriptions.ts';

export interface SlotsOptions {
  readonly context: AdapterContext;
  readonly url: string;
  readonly onFrame: (frame: Buffer) => void;
  /** Every slot that has something to watch is connected. */
  readonly onAllConnected: () => void;
}

interface Slot {
  readonly feed: SocketFeed;
  /** By their text. */
  subscriptions: Map<string, Subscription>;
}

export class SubscriptionSlots {
  private readonly options: SlotsOptions;
  private readonly connections = new Budget(CONNECTION_BUDGET);
  private readonly messages = new Budget(MESSAGE_BUDGET);
  private readonly slots = new Map<number, Slot>();
  private dropped = 0;

  constructor(options: SlotsOptions) {
    this.options = options;
  }

  /** Brings what is subscribed to in line with `wanted`; what goes beyond the venue's limit is left out. */
  want(wanted: readonly Subscription[]): void {
    const kept = wanted.slice(0, SUBSCRIPTIONS_MAX);
    this.tellDropped(wanted.length - kept.length);
    const bySlot = new Map<number, Map<string, Subscription>>();
    for (const index of this.slots.keys()) bySlot.set(index, new Map());
    for (const subscription of kept) {
      const index = slotOf(subscription, SLOTS);
      const own = bySlot.get(index) ?? new Map<string, Subscription>();
      bySlot.set(index, own.set(JSON.stringify(subscription), subscription));
    }
    for (const [index, subscriptions] of bySlot) this.wantInSlot(index, subscriptions);
  }

  /** What is subscribed to now. */
  current(): Subscription[] {
    return [...this.slots.values()].flatMap(({ subscriptions }) => [...subscriptions.values()]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map(({ feed }) => feed.close()));
  }

  private wantInSlot(index: number, subscriptions: Map<string, Subscription>): void {
    const slot = this.slots.get(index);
    if (!slot) {
      this.open(index, subscriptions);
      return;
    }
    const before = slot.subscriptions;
    slot.subscriptions = subscriptions;
    // Subscribing twice to the same thing is an error frame, so only what changed is sent.
    slot.feed.send([
      ...[...before].filter(([text]) => !subscriptions.has(text)).map(([, gone]) => unsubscribeFrame(gone)),
      ...[...subscriptions].filter(([text]) => !before.has(text)).map(([, added]) => subscribeFrame(added)),
    ]);
  }

  private open(index: number, subscriptions: Map<string, Subscription>): void {
    const { publisher, logger, metrics } = this.options.context;
    const feed = new SocketFeed({
      venue: 'venue_a',
      source: 'venue_a.ws',
      feed: `venue_a.ws.${index}`,
      url: this.options.url,
      publisher,
      logger,
      metrics,
      heartbeat: HEARTBEAT,
      connections: this.connections,
      messages: this.messages,
      hello: () => [...(this.slots.get(index)?.subscriptions.values() ?? [])].map(subscribeFrame),
      onFrame: this.options.onFrame,
      onConnected: () => {
        if ([...this.slots.values()].every((slot) => slot.feed.connected)) this.options.onAllConnected();
      },
    });
    this.slots.set(index, { feed, subscriptions });
  }

  private tellDropped(dropped: number): void {
    if (dropped > 0 && dropped !== this.dropped)
      this.options.context.logger.warn(
        { dropped },
        `venue_a allows ${SUBSCRIPTIONS_MAX} subscriptions; some are left out`,
      );
    this.dropped = dropped;
  }
}
