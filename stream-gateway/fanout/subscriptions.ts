/** Handles subscribe and unsubscribe frames: checks, acknowledgement, status, and the replay of history. */
import type { Logger } from 'pino';
import type { EventLog } from '#infra/log/log';
import type { Channel } from '#schemas/stream/channel';
import { parseChannel } from '#schemas/stream/channel-names';
import { parseCursor } from '#schemas/stream/cursor';
import type { StreamErrorCode } from '#schemas/stream/frames';
import { maySubscribe } from '../channels/authorise.ts';
import { cursorOf } from '../channels/gap.ts';
import type { SubscriptionHandler } from '../connection/client-frames.ts';
import type { Connection } from '../connection/connection.ts';
import {
  REPLAYS_MAX,
  REPLAYS_PENDING_MAX,
  REPLAYS_PENDING_PER_CONNECTION_MAX,
  REPLAYS_PER_CONNECTION_MAX,
  SUBSCRIPTIONS_MAX,
} from '../connection/limits.ts';
import { createSubscription, type Subscription } from '../connection/subscription.ts';
import { catchUp, type Since } from './catch-up.ts';
import { FairScheduler } from './fair-scheduler.ts';
import type { Hub } from './hub.ts';
import { type StatusSources, sendStatus, statusOf } from './publish-status.ts';

export interface SubscriptionsOptions {
  readonly log: EventLog;
  readonly hub: Hub;
  readonly logger: Logger;
  readonly status: StatusSources;
}

export class Subscriptions implements SubscriptionHandler {
  private readonly options: SubscriptionsOptions;
  private readonly scheduler = new FairScheduler<Connection>({
    max: REPLAYS_MAX,
    maxPerOwner: REPLAYS_PER_CONNECTION_MAX,
  });
  private readonly byId = new Map<string, Subscription>();
  /** Running or waiting replays, and how many of them each connection has. */
  private readonly replays = new Map<Subscription, { readonly ended: Promise<void>; readonly cancel: () => void }>();
  private readonly replaysOf = new Map<Connection, number>();

  constructor(options: SubscriptionsOptions) {
    this.options = options;
  }

  subscribe(connection: Connection, channelName: string, sinceText: string | null): void {
    const request = parseSubscribe(connection, channelName, sinceText);
    if ('error' in request) {
      connection.sendControl({ type: 'error', error: request.error, channel: channelName });
      return;
    }
    if (request.since !== null && this.hasTooManyReplays(connection)) {
      connection.sendControl({ type: 'error', error: 'quota_exceeded', channel: channelName });
      return;
    }
    const { hub } = this.options;
    const subscription = createSubscription(connection, request.channel, channelName);
    this.byId.set(subscription.id, subscription);
    connection.subscriptions.set(subscription.id, subscription);
    hub.add(subscription);
    if (request.since !== null) {
      this.replay(subscription, request.since);
      return;
    }
    const { progress } = subscription;
    progress.advance({ seq: hub.newestSeqOf(channelName), offset: hub.dispatchedOffset(subscription) });
    this.acknowledge(subscription, cursorOf(subscription, hub.epochOfChannel(subscription), progress));
    hub.goLive(subscription);
  }

  unsubscribe(connection: Connection, id: string): void {
    const subscription = this.byId.get(id);
    if (subscription?.connection !== connection) {
      connection.sendControl({ type: 'error', error: 'unknown_subscription' });
      return;
    }
    this.remove(subscription);
    connection.sendControl({ type: 'unsubscribed', subscription_id: id });
  }

  /** The instruments of these providers whose raw channels have a subscriber. */
  rawInstruments(providers: ReadonlySet<string>): Set<string> {
    const instruments = new Set<string>();
    for (const { channel } of this.byId.values())
      if (channel.kind === 'raw' && channel.instrument !== '*' && providers.has(channel.provider))
        instruments.add(channel.instrument);
    return instruments;
  }

  /** Removes all subscriptions of a closed connection. */
  removeAll(connection: Connection): void {
    for (const id of [...connection.subscriptions.keys()]) this.remove(this.byId.get(id)!);
  }

  /** Resolves when no replay runs any more; every connection must be closed before. */
  async close(): Promise<void> {
    await Promise.all([...this.replays.values()].map(({ ended }) => ended));
  }

  private remove(subscription: Subscription): void {
    this.byId.delete(subscription.id);
    subscription.connection.subscriptions.delete(subscription.id);
    this.options.hub.remove(subscription);
    this.replays.get(subscription)?.cancel();
  }

  private acknowledge(subscription: Subscription, cursor: string): void {
    const { connection, id, channel, channelName } = subscription;
    subscription.acknowledged = true;
    connection.sendControl({ type: 'subscribed', subscription_id: id, channel: channelName, cursor });
    sendStatus(subscription, statusOf(this.options.status, channel));
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
    const cancellation = new AbortController();
    const { signal } = cancellation;
    const ended = catchUp({ log, hub, subscription, since, signal, scheduler: this.scheduler, acknowledge })
      .catch((error: unknown) => {
        if (subscription.closed) return;
        logger.error({ error, channel: channelName }, 'could not replay the history of a channel');
        this.remove(subscription);
        connection.sendControl({ type: 'error', error: 'internal_error', channel: channelName });
      })
      .finally(() => {
        this.replays.delete(subscription);
        const left = this.replaysOf.get(connection)! - 1;
        if (left > 0) this.replaysOf.set(connection, left);
        else this.replaysOf.delete(connection);
      });
    this.replays.set(subscription, { ended, cancel: () => cancellation.abort() });
  }
}

type SubscribeRequest =
  | { readonly channel: Channel; readonly since: Since | null }
  | { readonly error: StreamErrorCode };

/** Parses and checks a subscribe frame. */
function parseSubscribe(connection: Connection, channelName: string, sinceText: string | null): SubscribeRequest {
  const channel = parseChannel(channelName);
  if (!channel) return { error: 'unknown_channel' };
  if (!maySubscribe(connection.principal, channel)) return { error: 'forbidden_scope' };
  if (connection.subscriptions.size >= SUBSCRIPTIONS_MAX) return { error: 'subscription_limit' };
  if (sinceText === null || sinceText === 'earliest') return { channel, since: sinceText };
  const cursor = parseCursor(sinceText);
  // A cursor of another channel is valid text: it does not say what was missed, so a `gap` is sent.
  return cursor ? { channel, since: { text: sinceText, cursor } } : { error: 'bad_frame' };
}
