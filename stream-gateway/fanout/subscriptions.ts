/** What happens between a subscribe frame and the first event: checks, acknowledgement, status, history. */
import type { Logger } from 'pino';
import type { EventLog } from '#infra/log/log';
import { type Channel, parseChannel } from '#schemas/stream/channel-names';
import { formatCursor, parseCursor } from '#schemas/stream/cursor';
import type { StreamErrorCode } from '#schemas/stream/frames';
import { maySubscribe } from '../channels/authorise.ts';
import type { SubscriptionRequests } from '../connection/client-frames.ts';
import type { Connection } from '../connection/connection.ts';
import {
  REPLAYS_MAX,
  REPLAYS_PENDING_MAX,
  REPLAYS_PENDING_PER_CONNECTION_MAX,
  REPLAYS_PER_CONNECTION_MAX,
  SUBSCRIPTIONS_MAX,
} from '../connection/limits.ts';
import { createSubscription, type Subscription } from '../connection/subscription.ts';
import { type StatusSources, statusOf, tellStatus } from './announce-status.ts';
import { catchUp, type Since } from './catch-up.ts';
import { FairSlots } from './fair-slots.ts';
import type { Hub } from './hub.ts';

export interface SubscriptionsOptions {
  readonly log: EventLog;
  readonly hub: Hub;
  readonly logger: Logger;
  readonly status: StatusSources;
}

export class Subscriptions implements SubscriptionRequests {
  private readonly options: SubscriptionsOptions;
  private readonly slots = new FairSlots<Connection>({ max: REPLAYS_MAX, maxPerOwner: REPLAYS_PER_CONNECTION_MAX });
  /** Replays under way or waiting, and how many of them each connection has. */
  private readonly replays = new Set<Promise<void>>();
  private readonly replaysOf = new Map<Connection, number>();

  constructor(options: SubscriptionsOptions) {
    this.options = options;
  }

  subscribe(connection: Connection, channelName: string, sinceText: string | null): void {
    const wish = readWish(connection, channelName, sinceText);
    if ('error' in wish) {
      connection.tell({ type: 'error', error: wish.error, channel: channelName });
      return;
    }
    if (wish.since !== null && this.hasTooManyReplays(connection)) {
      connection.tell({ type: 'error', error: 'quota_exceeded', channel: channelName });
      return;
    }
    const { hub } = this.options;
    const subscription = createSubscription(connection, wish.channel, channelName);
    connection.subscriptions.set(subscription.id, subscription);
    hub.add(subscription);
    if (wish.since !== null) {
      this.replay(subscription, wish.since);
      return;
    }
    const place = hub.placeOf(subscription);
    subscription.afterOffset = hub.positionOf(place);
    subscription.afterSeq = hub.newestSeqOf(channelName);
    const { afterSeq, afterOffset: offset } = subscription;
    const epoch = hub.epochOf(place.topic.name);
    this.acknowledge(
      subscription,
      formatCursor({ epoch, channel: channelName, seq: afterSeq === 0 ? null : afterSeq, offset }),
    );
    hub.goLive(subscription);
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

  /** Resolves when no history is read any more; every connection must be closed already. */
  async close(): Promise<void> {
    await Promise.all(this.replays);
  }

  private drop(subscription: Subscription): void {
    subscription.connection.subscriptions.delete(subscription.id);
    this.options.hub.remove(subscription);
  }

  private acknowledge(subscription: Subscription, cursor: string): void {
    const { connection, id, channel, channelName } = subscription;
    subscription.acknowledged = true;
    connection.tell({ type: 'subscribed', subscription_id: id, channel: channelName, cursor });
    tellStatus(subscription, statusOf(this.options.status, channel));
  }

  private hasTooManyReplays(connection: Connection): boolean {
    if (this.replays.size >= REPLAYS_PENDING_MAX) return true;
    return (this.replaysOf.get(connection) ?? 0) >= REPLAYS_PENDING_PER_CONNECTION_MAX;
  }

  private replay(subscription: Subscription, since: Since): void {
    const { log, hub, logger } = this.options;
    const { connection, channelName } = subscription;
    const acknowledge = (cursor: string) => this.acknowledge(subscription, cursor);
    this.replaysOf.set(connection, (this.replaysOf.get(connection) ?? 0) + 1);
    const replay = catchUp({ log, hub, subscription, since, slots: this.slots, acknowledge })
      .catch((error: unknown) => {
        if (subscription.closed) return;
        logger.error({ error, channel: channelName }, 'the history of a channel could not be read');
        this.drop(subscription);
        connection.tell({ type: 'error', error: 'internal_error', channel: channelName });
      })
      .finally(() => {
        this.replays.delete(replay);
        const left = this.replaysOf.get(connection)! - 1;
        if (left > 0) this.replaysOf.set(connection, left);
        else this.replaysOf.delete(connection);
      });
    this.replays.add(replay);
  }
}

type Wish = { readonly channel: Channel; readonly since: Since | null } | { readonly error: StreamErrorCode };

/** Reads and checks what a subscribe frame asks for. */
function readWish(connection: Connection, channelName: string, sinceText: string | null): Wish {
  const channel = parseChannel(channelName);
  if (!channel) return { error: 'unknown_channel' };
  if (!maySubscribe(connection.principal, channel)) return { error: 'forbidden_scope' };
  if (connection.subscriptions.size >= SUBSCRIPTIONS_MAX) return { error: 'subscription_limit' };
  if (sinceText === null || sinceText === 'earliest') return { channel, since: sinceText };
  const cursor = parseCursor(sinceText);
  // A cursor of another channel is one all the same: what was missed cannot be told from it, which a `gap` says.
  return cursor ? { channel, since: { text: sinceText, cursor } } : { error: 'bad_frame' };
}
