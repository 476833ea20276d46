/** The connection slots of venue_a, with subscriptions up to the venue's limit. */
import { ConfirmedSubscriber } from '../../feed/confirmed-subscriber.ts';
import { ConnectionSlots } from '../../feed/connection-slots.ts';
import type { VenuePlanner } from '../../feed/planner.ts';
import type { AdapterContext } from '../adapter.ts';
import { HEARTBEAT, SLOTS, SUBSCRIPTIONS_MAX } from './declaration.ts';
import { SUBSCRIPTION_PROTOCOL } from './subscription-protocol.ts';
import { limitSubscriptions, nameOf, type RankedSubscription, type Subscription, slotOf } from './subscriptions.ts';

export interface SlotsOptions {
  readonly context: AdapterContext;
  readonly url: string;
  readonly planner: VenuePlanner;
  readonly onFrame: (frame: Buffer) => void;
  /** Called when every slot with subscriptions is connected. */
  readonly onAllConnected: () => void;
}

/** The source of the frames, and the feed of what concerns all slots. */
const SOURCE = 'venue_a.ws';
/** Kinds of subscriptions that are counted, by their type. */
const KINDS = { trades: 'trades', books: 'l2Book' } as const;

export class SubscriptionSlots {
  private readonly context: AdapterContext;
  private readonly slots: ConnectionSlots<RankedSubscription>;
  private leftOut: readonly Subscription[] = [];
  /** The coins that were published last as those whose trades are left out; null before the first time. */
  private publishedCoins: string | null = null;

  constructor({ context, url, planner, onFrame, onAllConnected }: SlotsOptions) {
    this.context = context;
    const { publisher, logger, metrics } = context;
    // A process that was killed did not state the loss of its connections, and while the venue refuses, nothing else does.
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const feed = `${SOURCE}.${slot}`;
      publisher.publishFeedEvent({ venue: 'venue_a', feed, kind: 'disconnected', reason: 'ingest was started' });
    }
    this.slots = new ConnectionSlots({
      venue: 'venue_a',
      source: SOURCE,
      url,
      publisher,
      logger,
      metrics,
      heartbeat: HEARTBEAT,
      planner: planner.sockets,
      subscriber: () => new ConfirmedSubscriber(SUBSCRIPTION_PROTOCOL, planner.subscriptions, logger),
      onFrame,
      onAllConnected,
    });
  }

  /** Changes the subscriptions to `classes`, the most important first. Those beyond the venue's limit are left out. */
  update(classes: readonly (readonly Subscription[])[]): void {
    const current = new Set(this.subscriptions().map(nameOf));
    const { allowed, leftOut } = limitSubscriptions(classes, SUBSCRIPTIONS_MAX, current);
    this.reportLeftOut(leftOut);
    this.publishLeftOut(leftOut);
    const bySlot = new Map<number, Map<string, RankedSubscription>>();
    for (const ranked of allowed) {
      const index = slotOf(ranked.subscription, SLOTS);
      const own = bySlot.get(index) ?? new Map<string, RankedSubscription>();
      bySlot.set(index, own.set(nameOf(ranked.subscription), ranked));
    }
    this.slots.update(bySlot);
  }

  /** The current subscriptions. */
  subscriptions(): Subscription[] {
    return this.slots.subscriptions().map(({ subscription }) => subscription);
  }

  close(): Promise<void> {
    return this.slots.close();
  }

  /** Publishes the coins whose trades are left out, at the start and when they have changed. */
  private publishLeftOut(leftOut: readonly Subscription[]): void {
    const coins = leftOut
      .flatMap(({ type, coin }) => (type === KINDS.trades && coin !== undefined ? [coin] : []))
      .sort();
    const written = JSON.stringify(coins);
    if (written === this.publishedCoins) return;
    this.publishedCoins = written;
    const change = { venue: 'venue_a', feed: SOURCE, kind: 'trades_left_out', reason: null, coins } as const;
    this.context.publisher.publishFeedEvent(change);
  }

  private reportLeftOut(leftOut: readonly Subscription[]): void {
    const { metrics, logger } = this.context;
    const countOf = (type: string, all: readonly Subscription[]) => all.filter((entry) => entry.type === type).length;
    const counts = Object.entries(KINDS).map(([kind, type]) => [kind, countOf(type, leftOut)] as const);
    for (const [kind, count] of counts) metrics.venueLeftOut.set({ venue: 'venue_a', kind }, count);
    const isNew = Object.values(KINDS).some((type) => countOf(type, leftOut) !== countOf(type, this.leftOut));
    if (isNew && leftOut.length > 0)
      logger.warn(
        Object.fromEntries(counts),
        `venue_a allows ${SUBSCRIPTIONS_MAX} subscriptions; those with the lowest rank are left out`,
      );
    this.leftOut = leftOut;
  }
}
