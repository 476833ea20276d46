import { channelsShowing, kindOf } from '#schemas/stream/channel-kinds';
import { type Channel, type ChannelName, formatChannel } from '#schemas/stream/channel-names';
import type { Subscription } from '../connection/subscription.ts';
import type { Hub } from './hub.ts';
import {
  drainChanges,
  eventStatus,
  type InstrumentStatus,
  instrumentStatus,
  type MarketStatusState,
} from './market-status.ts';

/** What is known of the markets behind a channel; null for channels that are no market's. */
export function statusOf(state: MarketStatusState, channel: Channel | ChannelName): InstrumentStatus | null {
  const { shows } = kindOf(channel);
  if (!shows) return null;
  const id = shows.idOf(channel);
  return shows.what === 'event' ? eventStatus(state, id) : instrumentStatus(state, id);
}

/** Tells one subscription, unless it is what it was told last or nothing is known. */
export function tellStatus(subscription: Subscription, status: InstrumentStatus | null): void {
  const { id, connection, toldStatus } = subscription;
  if (!status || (toldStatus?.state === status.state && toldStatus.since === status.since)) return;
  subscription.toldStatus = status;
  connection.tell({ type: 'status', subscription_id: id, ...status });
}

/** Tells the subscribers of every market whose state changed since the last call. */
export function announceStatus(hub: Pick<Hub, 'subscribersOf'>, state: MarketStatusState): void {
  const channels = new Map<string, ChannelName>();
  for (const instrument of drainChanges(state)) {
    for (const channel of channelsAbout(instrument, state.eventsOf.get(instrument) ?? []))
      channels.set(formatChannel(channel), channel);
  }
  for (const [name, channel] of channels) {
    // Those that wait for their acknowledgement get the status with it.
    for (const subscription of hub.subscribersOf(name))
      if (subscription.acknowledged) tellStatus(subscription, statusOf(state, channel));
  }
}

/** The channels that show an instrument: its raw feed, and those of the events whose leg it is. */
function channelsAbout(instrument: string, events: readonly string[]): ChannelName[] {
  return [...channelsShowing('instrument', instrument), ...events.flatMap((id) => channelsShowing('event', id))];
}
