/** What happens between a subscribe frame and the first event: checks, acknowledgement, status, history. */
import type { Logger } from 'pino';
import type { EventLog } from '#infra/log/log';
import { type Channel, parseChannel } from '#schemas/stream/channel-names';
import { type Cursor, formatCursor, parseCursor } from '#schemas/stream/cursor';
import type { StreamErrorCode } from '#schemas/stream/frames';
import { maySubscribe } from '../channels/authorise.ts';
import type { Connection } from '../connection/connection.ts';
import { REPLAYS_MAX, SUBSCRIPTIONS_MAX } from '../connection/limits.ts';
import { createSubscription, type Subscription } from '../connection/subscription.ts';
import { statusOf, tellStatus } from './announce-status.ts';
import { catchUp } from './catch-up.ts';
import type { Hub } from './hub.ts';
import type { MarketStatusState } from './market-status.ts';
import { Turns } from './turns.ts';

export interface SubscriptionsOptions {
  readonly log: EventLog;
  readonly hub: Hub;
  readonly logger: Logger;
  readonly status: MarketStatusState;
}

export class Subscriptions {
  private readonly options: SubscriptionsOptions;
  private readonly turns = new Turns(REPLAYS_MAX);
  private readonly replays = new Set<Promise<void>>();

  constructor(options: SubscriptionsOptions) {
    this.options = options;
  }

  subscribe(connection: Connection, channelName: string, sinceText: string | null): void {
    const wish = readWish(connection, channelName, sinceText);
    if ('error' in wish) {
      connection.tell({ type: 'error', error: wish.error, channel: channelName });
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
    const epoch = hub.epochOf(place.topic.name);
    this.acknowledge(subscription, { epoch, seq: null, offset: subscription.afterOffset });
    subscription.live = true;
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

  private acknowledge(subscription: Subscription, cursor: Cursor): void {
    const { connection, id, channel, channelName } = subscription;
    subscription.acknowledged = true;
    connection.tell({ type: 'subscribed', subscription_id: id, channel: channelName, cursor: formatCursor(cursor) });
    tellStatus(subscription, statusOf(this.options.status, channel));
  }

  private replay(subscription: Subscription, since: Cursor | 'earliest'): void {
    const { connection, channelName } = subscription;
    const replay = this.serveHistory(subscription, since)
      .catch((error: unknown) => {
        if (subscription.closed) return;
        this.options.logger.error({ error, channel: channelName }, 'the history of a channel could not be read');
        this.drop(subscription);
        connection.tell({ type: 'error', error: 'internal_error', channel: channelName });
      })
      .finally(() => this.replays.delete(replay));
    this.replays.add(replay);
  }

  private async serveHistory(subscription: Subscription, wanted: Cursor | 'earliest'): Promise<void> {
    const { log, hub } = this.options;
    const since = wanted === 'earliest' ? await this.beginning(subscription) : wanted;
    if (subscription.closed) return;
    this.acknowledge(subscription, since);
    await catchUp({ log, hub, subscription, since, turns: this.turns });
  }

  /** The cursor before the first kept record. */
  private async beginning(subscription: Subscription): Promise<Cursor> {
    const { log, hub } = this.options;
    const { topic, partition } = hub.placeOf(subscription);
    const { first } = await log.bounds({ topic: topic.name, partition });
    return { epoch: hub.epochOf(topic.name), seq: null, offset: first - 1 };
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
