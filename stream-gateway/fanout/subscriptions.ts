/** What happens between a subscribe frame and the first event: checks, acknowledgement, history, status. */
import type { Logger } from 'pino';
import type { EventLog } from '#infra/log/log';
import { type Channel, parseChannel } from '#schemas/stream/channel-names';
import { type Cursor, formatCursor, parseCursor } from '#schemas/stream/cursor';
import type { StreamErrorCode } from '#schemas/stream/frames';
import { maySubscribe } from '../channels/authorise.ts';
import { refillPath } from '../channels/refill.ts';
import type { Connection } from '../connection/connection.ts';
import { REPLAYS_MAX, SUBSCRIPTIONS_MAX } from '../connection/limits.ts';
import { createSubscription, type Subscription } from '../connection/subscription.ts';
import { statusOf } from './announce-status.ts';
import { catchUp } from './catch-up.ts';
import type { Hub } from './hub.ts';
import type { MarketStatusState } from './market-status.ts';

export interface SubscriptionsOptions {
  readonly log: EventLog;
  readonly hub: Hub;
  readonly logger: Logger;
  readonly status: MarketStatusState;
}

export class Subscriptions {
  private readonly options: SubscriptionsOptions;
  /** Subscriptions that wait for history to be read; at most REPLAYS_MAX of them are being served. */
  private readonly waiting: (() => Promise<void>)[] = [];
  private replaying = 0;

  constructor(options: SubscriptionsOptions) {
    this.options = options;
  }

  subscribe(connection: Connection, channelName: string, sinceText: string | null): void {
    const wish = readWish(connection, channelName, sinceText);
    if ('error' in wish) {
      connection.tell({ type: 'error', error: wish.error, channel: channelName });
      return;
    }
    const subscription = createSubscription(connection, wish.channel, channelName);
    // Until it is acknowledged nothing may be sent on it, and the epoch in the acknowledgement may have to be read.
    subscription.live = false;
    connection.subscriptions.set(subscription.id, subscription);
    this.options.hub.add(subscription);
    this.begin(subscription, wish.since).catch((error) => {
      this.options.logger.error({ error, channel: channelName }, 'a subscription could not be served');
      this.drop(subscription);
      connection.tell({ type: 'error', error: 'internal_error', channel: channelName });
    });
  }

  unsubscribe(connection: Connection, id: string): void {
    const subscription = connection.subscriptions.get(id);
    if (!subscription) {
      connection.tell({ type: 'error', error: 'unknown_subscription' });
      return;
    }
    this.drop(subscription);
    connection.tell({ type: 'unsubscribed', subscription_id: id });
  }

  /** Forgets everything of a closed connection. */
  dropAll(connection: Connection): void {
    for (const subscription of [...connection.subscriptions.values()]) this.drop(subscription);
  }

  private drop(subscription: Subscription): void {
    subscription.connection.subscriptions.delete(subscription.id);
    this.options.hub.remove(subscription);
  }

  private async begin(subscription: Subscription, since: Cursor | 'earliest' | null): Promise<void> {
    const { hub } = this.options;
    const { connection, id, channelName } = subscription;
    const place = hub.placeOf(subscription);
    const epoch = await hub.epochOf(place.topic.name);
    const offset = hub.positionOf(place);
    const cursor =
      since !== null && since !== 'earliest' ? formatCursor(since) : formatCursor({ epoch, seq: null, offset });
    connection.tell({ type: 'subscribed', subscription_id: id, channel: channelName, cursor });
    const status = statusOf(this.options.status, subscription.channel);
    if (status) connection.tell({ type: 'status', subscription_id: id, ...status });
    if (since === null) {
      subscription.afterOffset = offset;
      subscription.live = true;
      return;
    }
    await this.inTurn(() =>
      catchUp({ log: this.options.log, hub, subscription, since, refill: refillPath(subscription.channel) }),
    );
  }

  /** Runs a reading of history when one of the REPLAYS_MAX places is free. */
  private async inTurn(run: () => Promise<void>): Promise<void> {
    if (this.replaying >= REPLAYS_MAX) {
      await new Promise<void>((resolve) => {
        this.waiting.push(async () => resolve());
      });
    }
    this.replaying += 1;
    try {
      await run();
    } finally {
      this.replaying -= 1;
      void this.waiting.shift()?.();
    }
  }
}

type Wish =
  | { readonly channel: Channel; readonly since: Cursor | 'earliest' | null }
  | { readonly error: StreamErrorCode };

/** Reads and checks what a subscribe frame asks for. */
function readWish(connection: Connection, channelName: string, sinceText: string | null): Wish {
  const channel = parseChannel(channelName);
  if (!channel) return { error: 'unknown_channel' };
  if (!maySubscribe(connection.principal, channel)) return { error: 'forbidden_scope' };
  if (connection.subscriptions.size >= SUBSCRIPTIONS_MAX) return { error: 'subscription_limit' };
  if (sinceText === null || sinceText === 'earliest') return { channel, since: sinceText };
  const since = parseCursor(sinceText);
  return since ? { channel, since } : { error: 'bad_cursor' };
}
