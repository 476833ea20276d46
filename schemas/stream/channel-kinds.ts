/**
 * Every kind of channel with its properties; a kind that is declared incompletely does not compile. Channel names are
 * parsed and formatted in `channel-names.ts`.
 */
import type { ChannelWriter } from '../topics/channels.ts';
import type { ChannelName } from './channel-names.ts';

type Kind = ChannelName['kind'];
type NameOf<K extends Kind> = Extract<ChannelName, { readonly kind: K }>;

export interface ChannelKind<K extends Kind> {
  /** One sentence for the docs. */
  readonly summary: string;
  readonly example: NameOf<K>;
  /** The writer whose topic (`schemas/topics/channels`) contains its frames. */
  readonly writer: ChannelWriter;
  /** False if nothing writes frames yet: clients can subscribe, but receive none. */
  readonly delivering: boolean;
  /** The one organization that may subscribe; left out for all. */
  readonly ownerOf?: (channel: NameOf<K>) => string;
  /** The REST path that fills a gap in it; left out where there is none. */
  readonly refillPath?: (channel: NameOf<K>) => string;
  /** Source of the status frames (`live`, `stale`) of its subscribers; left out for channels without a market. */
  readonly status?: StatusSource<K>;
}

interface StatusSource<K extends Kind> {
  /** The status of an `event` follows from all of its markets; an `instrument` is a coin or token. */
  readonly what: 'event' | 'instrument';
  readonly idOf: (channel: NameOf<K>) => string;
  readonly channelOf: (id: string) => NameOf<K>;
}

const universalId = 'evt_…';
/** Status source of channels that are named after an event. */
const eventStatus = <N extends { readonly universalId: string }>(channelOf: (id: string) => N) => ({
  what: 'event' as const,
  idOf: (channel: N) => channel.universalId,
  channelOf,
});
const eventPath =
  (path: string) =>
  ({ universalId: id }: { readonly universalId: string }) =>
    `/v1/events/${id}/${path}`;

export const CHANNEL_KINDS: { readonly [K in Kind]: ChannelKind<K> } = {
  event: {
    summary: 'Spread of an event, when a yesMid moved by 0.005 or more.',
    example: { kind: 'event', universalId },
    writer: 'events',
    delivering: true,
    refillPath: eventPath('spread'),
    status: eventStatus((id) => ({ kind: 'event' as const, universalId: id })),
  },
  arbitrage: {
    summary: 'Arbitrage of an event with a positive net edge.',
    example: { kind: 'arbitrage', universalId },
    writer: 'events',
    delivering: true,
    refillPath: eventPath('arbitrage'),
    status: eventStatus((id) => ({ kind: 'arbitrage' as const, universalId: id })),
  },
  'trade-event': {
    summary: 'Fills on all linked markets of an event.',
    example: { kind: 'trade-event', universalId },
    writer: 'events',
    delivering: true,
    refillPath: eventPath('trades'),
    status: eventStatus((id) => ({ kind: 'trade-event' as const, universalId: id })),
  },
  'trade-provider': {
    summary: 'Every fill of a provider; also venue_a_perp, venue_a_outcome.',
    example: { kind: 'trade-provider', provider: 'venue_b' },
    writer: 'events',
    delivering: true,
  },
  'user-trade': {
    summary: "Fills of an organization's bound wallets; for that organization alone.",
    example: { kind: 'user-trade', orgId: 'org_1' },
    writer: 'organizations',
    delivering: true,
    ownerOf: ({ orgId }) => orgId,
  },
  'anomaly-event': {
    summary: 'Anomalies of an event.',
    example: { kind: 'anomaly-event', universalId },
    writer: 'events',
    delivering: true,
    refillPath: eventPath('anomaly-history'),
  },
  'anomaly-kind': {
    summary: 'Anomalies of one kind, of every event.',
    example: { kind: 'anomaly-kind', anomalyKind: 'trade-volume' },
    writer: 'events',
    delivering: true,
  },
  'anomaly-all': {
    summary: 'Every anomaly.',
    example: { kind: 'anomaly-all' },
    writer: 'events',
    delivering: true,
  },
  'dispute-event': {
    summary: 'Dispute phases of an event.',
    example: { kind: 'dispute-event', universalId },
    writer: 'events',
    delivering: true,
    refillPath: eventPath('dispute-history'),
  },
  'dispute-venue': {
    summary: 'Every dispute phase of venue_b.',
    example: { kind: 'dispute-venue' },
    writer: 'events',
    delivering: true,
  },
  settlement: {
    summary: 'The first settlement of an event on each provider.',
    example: { kind: 'settlement', universalId },
    writer: 'events',
    delivering: true,
    refillPath: eventPath('settlement'),
  },
  'raw-mids': {
    summary: 'All mid prices of venue_a, as the venue sends them.',
    example: { kind: 'raw-mids' },
    writer: 'venue_a',
    delivering: true,
  },
  'raw-coin': {
    summary: 'Level-2 book frames of a coin, as the venue sends them.',
    example: { kind: 'raw-coin', coin: 'BTC' },
    writer: 'venue_a',
    delivering: true,
    status: { what: 'instrument', idOf: ({ coin }) => coin, channelOf: (coin) => ({ kind: 'raw-coin', coin }) },
  },
  'raw-outcomes': {
    summary: "All messages about venue_a's outcome coins, as the venue sends them.",
    example: { kind: 'raw-outcomes' },
    writer: 'venue_a',
    delivering: true,
  },
  'raw-token': {
    summary: 'All messages about a venue_b token, as the venue sends them.',
    example: { kind: 'raw-token', tokenId: '123' },
    writer: 'venue_b',
    delivering: true,
    status: {
      what: 'instrument',
      idOf: ({ tokenId }) => tokenId,
      channelOf: (tokenId) => ({ kind: 'raw-token', tokenId }),
    },
  },
  'raw-ticker': {
    summary: 'Book deltas of a venue_c ticker.',
    example: { kind: 'raw-ticker', ticker: 'TICKER' },
    writer: 'events',
    delivering: false,
  },
};

/** The declaration of a channel's kind. */
export function kindOf(channel: ChannelName): ChannelKind<Kind> {
  // Each entry accepts the names of its own kind, and the kind selects the entry.
  return CHANNEL_KINDS[channel.kind] as unknown as ChannelKind<Kind>;
}

/** The channels whose subscribers receive the status of an event or an instrument. */
export function channelsWithStatusOf(what: 'event' | 'instrument', id: string): ChannelName[] {
  const kinds = Object.values(CHANNEL_KINDS) as unknown as readonly ChannelKind<Kind>[];
  return kinds.flatMap(({ status: shows }) => (shows?.what === what ? [shows.channelOf(id)] : []));
}
