/**
 * The channels of `/v1/stream` (specification, WebSocket stream). A name is parsed once into a tagged value; each channel
 * has one spelling, and a name that no channel can have is null. A well-formed universal id is a channel even if no such
 * event exists yet.
 */
import { TRADE_CHANNEL_PROVIDERS } from '../domain/providers.ts';
import { RAW_CHANNELS } from '../venues/raw-channels.ts';
import { ANOMALY_CHANNEL_KINDS, type Channel, type ChannelName } from './channel.ts';
import { kindOf } from './channel-kinds.ts';

const PREFIX = 'svc:stream:';
const UNIVERSAL_ID = /^evt_[0-9A-Za-z]{1,64}$/;
const ORGANIZATION_ID = /^[!-~]{1,128}$/;

/** Parses a name; null where no channel can have it. */
export function parseChannel(name: string): Channel | null {
  if (!name.startsWith(PREFIX)) return null;
  const separator = name.indexOf(':', PREFIX.length);
  if (separator < 0) return null;
  const parsed = parseName(name.slice(PREFIX.length, separator), name.slice(separator + 1));
  return parsed && channelOf(parsed);
}

/** Completes a channel name with the writer of its frames. */
export function channelOf(name: ChannelName): Channel {
  return { ...name, writer: kindOf(name).writer };
}

/** Formats the name of a channel. `formatChannel(parseChannel(name)) === name`. */
export function formatChannel(channel: ChannelName): string {
  return `${PREFIX}${suffixOf(channel)}`;
}

function parseName(family: string, rest: string): ChannelName | null {
  switch (family) {
    case 'event':
    case 'arbitrage':
    case 'settlement':
      return UNIVERSAL_ID.test(rest) ? { kind: family, universalId: rest } : null;
    case 'trade':
      if (UNIVERSAL_ID.test(rest)) return { kind: 'trade-event', universalId: rest };
      return isOneOf(TRADE_CHANNEL_PROVIDERS, rest) ? { kind: 'trade-provider', provider: rest } : null;
    case 'user-trade':
      return ORGANIZATION_ID.test(rest) ? { kind: 'user-trade', orgId: rest } : null;
    case 'anomaly':
      if (rest === 'all') return { kind: 'anomaly-all' };
      if (UNIVERSAL_ID.test(rest)) return { kind: 'anomaly-event', universalId: rest };
      return isOneOf(ANOMALY_CHANNEL_KINDS, rest) ? { kind: 'anomaly-kind', anomalyKind: rest } : null;
    case 'settlement_dispute':
      if (rest === 'venue_b') return { kind: 'dispute-venue' };
      return UNIVERSAL_ID.test(rest) ? { kind: 'dispute-event', universalId: rest } : null;
    default:
      return parseRaw(family, rest);
  }
}

function parseRaw(provider: string, instrument: string): ChannelName | null {
  const declared = RAW_CHANNELS.find((channels) => channels.provider === provider && channels.accepts(instrument));
  return declared ? { kind: 'raw', provider: declared.provider, instrument } : null;
}

function suffixOf(channel: ChannelName): string {
  switch (channel.kind) {
    case 'event':
    case 'arbitrage':
    case 'settlement':
      return `${channel.kind}:${channel.universalId}`;
    case 'trade-event':
      return `trade:${channel.universalId}`;
    case 'trade-provider':
      return `trade:${channel.provider}`;
    case 'user-trade':
      return `user-trade:${channel.orgId}`;
    case 'anomaly-event':
      return `anomaly:${channel.universalId}`;
    case 'anomaly-kind':
      return `anomaly:${channel.anomalyKind}`;
    case 'anomaly-all':
      return 'anomaly:all';
    case 'dispute-event':
      return `settlement_dispute:${channel.universalId}`;
    case 'dispute-venue':
      return 'settlement_dispute:venue_b';
    case 'raw':
      return `${channel.provider}:${channel.instrument}`;
  }
}

function isOneOf<T extends string>(values: readonly T[], value: string): value is T {
  return (values as readonly string[]).includes(value);
}
