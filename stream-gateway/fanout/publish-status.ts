import { channelsShowing, kindOf } from '#schemas/stream/channel-kinds';
import { type Channel, type ChannelName, formatChannel } from '#schemas/stream/channel-names';
import type { Subscription } from '../connection/subscription.ts';
import type { LaggingWriters } from './channel-lag.ts';
import type { Hub } from './hub.ts';
import {
  drainChanges,
  eventStatus,
  type InstrumentStatus,
  instrumentStatus,
  isBetterThanStale,
  type MarketStatusState,
} from './market-status.ts';

/** What statuses follow from. */
export interface StatusSources {
  readonly markets: MarketStatusState;
  readonly lagging: LaggingWriters;
}

/**
 * What is known of the markets behind a channel; null for channels that are no market's. A live market whose channel
 * carries old events is stale.
 */
export function statusOf({ markets, lagging }: StatusSources, channel: Channel | ChannelName): InstrumentStatus | null {
  const { shows, writer } = kindOf(channel);
  if (!shows) return null;
  const id = shows.idOf(channel);
  const status = shows.what === 'event' ? eventStatus(markets, id) : instrumentStatus(markets, id);
  const lag = lagging.get(writer);
  if (status === null || lag === undefined || !isBetterThanStale(status)) return status;
  // What was stale for its lag is live since it has caught up, and not since the market is.
  return lag.isBehind ? { state: 'stale', since: lag.since } : { ...status, since: Math.max(status.since, lag.since) };
}

/** Tells one subscription, unless it is what it was told last or nothing is known. */
export function tellStatus(subscription: Subscription, status: InstrumentStatus | null): void {
  const { id, connection, toldStatus } = subscription;
  if (!status || (toldStatus?.state === status.state && toldStatus.since === status.since)) return;
  subscription.toldStatus = status;
  connection.tell({ type: 'status', subscription_id: id, ...status });
}

/** Sends its status to every subscription, where it is another than before: a writer of channels began or ceased to lag. */
export function announceAll(hub: Pick<Hub, 'subscriptions'>, sources: StatusSources): void {
  for (const subscription of hub.subscriptions())
    if (subscription.acknowledged) tellStatus(subscription, statusOf(sources, subscription.channel));
}

/** Tells the subscribers of every market whose state changed since the last call. */
export function announceStatus(hub: Pick<Hub, 'subscribersOf'>, sources: StatusSources): void {
  const { markets } = sources;
  const channels = new Map<string, ChannelName>();
  for (const instrument of drainChanges(markets)) {
    for (const channel of channelsAbout(instrument, markets.eventsOf.get(instrument) ?? []))
      channels.set(formatChannel(channel), channel);
  }
  for (const [name, channel] of channels) {
    // Those that wait for their acknowledgement get the status with it.
    for (const subscription of hub.subscribersOf(name))
      if (subscription.acknowledged) tellStatus(subscription, statusOf(sources, channel));
  }
}

/** The channels that show an instrument: its raw feed, and those of the events whose leg it is. */
function channelsAbout(instrument: string, events: readonly string[]): ChannelName[] {
  return [...channelsShowing('instrument', instrument), ...events.flatMap((id) => channelsShowing('event', id))];
}
