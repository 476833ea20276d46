import { whileLagging } from '#schemas/domain/price-state';
import type { Channel, ChannelName } from '#schemas/stream/channel';
import { channelsWithStatusOf, kindOf } from '#schemas/stream/channel-kinds';
import { formatChannel } from '#schemas/stream/channel-names';
import type { Subscription } from '../connection/subscription.ts';
import type { LaggingWriters } from './channel-lag.ts';
import type { Hub } from './hub.ts';
import {
  drainChanges,
  eventStatus,
  type InstrumentStatus,
  instrumentStatus,
  type MarketStatusState,
} from './market-status.ts';

/** The state from which statuses are computed. */
export interface StatusSources {
  readonly markets: MarketStatusState;
  readonly lagging: LaggingWriters;
}

/**
 * The status of the markets behind a channel; null for channels that show no market. A live market is `stale` while its
 * channel lags.
 */
export function statusOf({ markets, lagging }: StatusSources, channel: Channel | ChannelName): InstrumentStatus | null {
  const { status: shows, writer } = kindOf(channel);
  if (!shows) return null;
  const id = shows.idOf(channel);
  const status = shows.what === 'event' ? eventStatus(markets, id) : instrumentStatus(markets, id);
  const lag = lagging.get(writer);
  if (status === null || lag === undefined) return status;
  const state = whileLagging(status.state);
  if (state === status.state) return status;
  // A market that was stale because of lag is live since the channel caught up, not since the market became live.
  return lag.isBehind ? { state, since: lag.since } : { ...status, since: Math.max(status.since, lag.since) };
}

/** Sends a status to a subscription, unless nothing is known or it equals the last one sent. */
export function sendStatus(subscription: Subscription, status: InstrumentStatus | null): void {
  const { id, connection, sentStatus } = subscription;
  if (!status || (sentStatus?.state === status.state && sentStatus.since === status.since)) return;
  subscription.sentStatus = status;
  connection.sendControl({ type: 'status', subscription_id: id, ...status });
}

/** Sends every subscription its status where it changed, after a writer of channels began or ceased to lag. */
export function publishAllStatuses(hub: Pick<Hub, 'subscriptions'>, sources: StatusSources): void {
  for (const subscription of hub.subscriptions())
    if (subscription.acknowledged) sendStatus(subscription, statusOf(sources, subscription.channel));
}

/** Sends the status to subscribers of every market whose state changed since the last call. */
export function publishChangedStatuses(hub: Pick<Hub, 'subscribersOf'>, sources: StatusSources): void {
  const { markets } = sources;
  const channels = new Map<string, ChannelName>();
  for (const instrument of drainChanges(markets)) {
    for (const channel of channelsAbout(instrument, markets.eventsOf.get(instrument) ?? []))
      channels.set(formatChannel(channel), channel);
  }
  for (const [name, channel] of channels) {
    // Subscriptions that wait for their acknowledgement get the status with it.
    for (const subscription of hub.subscribersOf(name))
      if (subscription.acknowledged) sendStatus(subscription, statusOf(sources, channel));
  }
}

/** The channels that show an instrument: its raw feed, and those of the events that have it as a leg. */
function channelsAbout(instrument: string, events: readonly string[]): ChannelName[] {
  return [
    ...channelsWithStatusOf('instrument', instrument),
    ...events.flatMap((id) => channelsWithStatusOf('event', id)),
  ];
}
