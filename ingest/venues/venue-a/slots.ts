/** The connection slots of venue_a: what is subscribed to, within the venue's limit. */
import { Budget } from '../../feed/budget.ts';
import { ConnectionSlots } from '../../feed/connection-slots.ts';
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

export class SubscriptionSlots {
  private readonly context: AdapterContext;
  private readonly slots: ConnectionSlots<Subscription>;
  private dropped = 0;

  constructor({ context, url, onFrame, onAllConnected }: SlotsOptions) {
    this.context = context;
    const { publisher, logger, metrics } = context;
    this.slots = new ConnectionSlots({
      venue: 'venue_a',
      source: 'venue_a.ws',
      url,
      publisher,
      logger,
      metrics,
      heartbeat: HEARTBEAT,
      connections: new Budget(CONNECTION_BUDGET),
      messages: new Budget(MESSAGE_BUDGET),
      hello: (subscriptions) => subscriptions.map(subscribeFrame),
      change: (gone, added) => [...gone.map(unsubscribeFrame), ...added.map(subscribeFrame)],
      onFrame,
      onAllConnected,
    });
  }

  /** Brings what is subscribed to in line with `wanted`; what goes beyond the venue's limit is left out. */
  want(wanted: readonly Subscription[]): void {
    const kept = wanted.slice(0, SUBSCRIPTIONS_MAX);
    this.tellDropped(wanted.length - kept.length);
    const bySlot = new Map<number, Map<string, Subscription>>();
    for (const subscription of kept) {
      const index = slotOf(subscription, SLOTS);
      const own = bySlot.get(index) ?? new Map<string, Subscription>();
      bySlot.set(index, own.set(JSON.stringify(subscription), subscription));
    }
    this.slots.want(bySlot);
  }

  /** What is subscribed to now. */
  current(): Subscription[] {
    return this.slots.current();
  }

  close(): Promise<void> {
    return this.slots.close();
  }

  private tellDropped(dropped: number): void {
    if (dropped > 0 && dropped !== this.dropped)
      this.context.logger.warn({ dropped }, `venue_a allows ${SUBSCRIPTIONS_MAX} subscriptions; some are left out`);
    this.dropped = dropped;
  }
}
