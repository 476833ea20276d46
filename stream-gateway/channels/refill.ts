import type { Channel } from '#schemas/stream/channel-names';

/** The REST path that fills a hole in a channel, or null where there is none. */
export function refillPath(channel: Channel): string | null {
  switch (channel.kind) {
    case 'event':
      return `/v1/events/${channel.universalId}/spread`;
    case 'arbitrage':
      return `/v1/events/${channel.universalId}/arbitrage`;
    case 'trade-event':
      return `/v1/events/${channel.universalId}/trades`;
    default:
      return null;
  }
}
