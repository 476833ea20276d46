/** The connection slots of venue_a, with subscriptions up to the venue's limit. */
import { Budget } from '../../feed/budget.ts';
import { ConnectionSlots } from '../../feed/connection-slots.ts';
import type { AdapterContext } from '../adapter.ts';
import { CONNECTION_BUDGET, HEARTBEAT, MESSAGE_BUDGET, SLOTS, SUBSCRIPTIONS_MAX } from './declaration.ts';
import {
  cutSubscriptions,
  type LeftOut,
  type Subscription,
  slotOf,
  subscribeFrame,
  unsubscribeFrame,
} from './subscriptions.ts';

export interface SlotsOptions {
  readonly context: AdapterContext;
  readonly url: string;
  readonly onFrame: (frame: Buffer) => void;
  /** Called when every slot with subscriptions is connected. */
  readonly onAllConnected: () => void;
}

export class SubscriptionSlots {
  private readonly context: AdapterContext;
  private readonly slots: ConnectionSlots<Subscription>;
  private leftOut: LeftOut = { trades: 0, books: 0 };

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
      subscribeFrames: (subscriptions) => subscriptions.map(subscribeFrame),
      changeFrames: (removed, added) => [...removed.map(unsubscribeFrame), ...added.map(subscribeFrame)],
      onFrame,
      onAllConnected,
    });
  }

  /** Changes the subscriptions to `wanted`. Those beyond the venue's limit are left out. */
  update(wanted: readonly Subscription[]): void {
    const { allowed, leftOut } = cutSubscriptions(wanted, SUBSCRIPTIONS_MAX);
    this.reportLeftOut(leftOut);
    const bySlot = new Map<number, Map<string, Subscription>>();
    for (const subscription of allowed) {
      const index = slotOf(subscription, SLOTS);
      const own = bySlot.get(index) ?? new Map<string, Subscription>();
      bySlot.set(index, own.set(JSON.stringify(subscription), subscription));
    }
    this.slots.update(bySlot);
  }

  /** The current subscriptions. */
  subscriptions(): Subscription[] {
    return this.slots.subscriptions();
  }

  close(): Promise<void> {
    return this.slots.close();
  }

  private reportLeftOut(leftOut: LeftOut): void {
    const { metrics, logger } = this.context;
    for (const kind of ['trades', 'books'] as const)
      metrics.venueLeftOut.set({ venue: 'venue_a', kind }, leftOut[kind]);
    const isNew = leftOut.trades !== this.leftOut.trades || leftOut.books !== this.leftOut.books;
    if (isNew && leftOut.trades + leftOut.books > 0)
      logger.warn(
        leftOut,
        `venue_a allows ${SUBSCRIPTIONS_MAX} subscriptions; those with the lowest rank are left out`,
      );
    this.leftOut = leftOut;
  }
}
