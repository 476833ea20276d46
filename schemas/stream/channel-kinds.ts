/**
 * Every kind of channel with its properties; a kind that is declared incompletely does not compile. Channel names are
 * parsed and formatted in `channel-names.ts`.
 */
import { TRADE_STREAM_PROVIDERS } from '../domain/providers.ts';
import type { ChannelWriter } from '../topics/channels.ts';
import { RAW_CHANNELS, type RawProvider } from '../venues/raw-channels.ts';
import type { ChannelName } from './channel.ts';
import type { EventFrameType } from './payloads.ts';

type Kind = ChannelName['kind'];
type NameOf<K extends Kind> = Extract<ChannelName, { readonly kind: K }>;

export interface ChannelKind<K extends Kind> {
  /** One sentence for the docs. */
  readonly summary: string;
  readonly example: NameOf<K>;
  /** `data.type` of its event frames, which names their payload (`payloads.ts`). */
  readonly type: EventFrameType;
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
/** Status source of the raw channels of a provider's instruments. */
const instrumentStatus = (provider: RawProvider): StatusSource<'raw'> => ({
  what: 'instrument',
  idOf: ({ instrument }) => instrument,
  channelOf: (instrument) => ({ kind: 'raw', provider, instrument }),
});
const rawKindName = ({ provider, instrument }: { readonly provider: RawProvider; readonly instrument: string }) =>
  instrument === '*' ? `${provider}:*` : provider;
const eventPath =
  (path: string) =>
  ({ universalId: id }: { readonly universalId: string }) =>
    `/v1/events/${id}/${path}`;

/** The fills of a block are in several partitions, and at equal times a stage reads one partition after the other. */
const FILLS_OF_A_BLOCK = 'Fills of one block can come in any order; `logIndex` states their order on the chain.';

const CHANNEL_KINDS: { readonly [K in Exclude<Kind, 'raw'>]: ChannelKind<K> } = {
  event: {
    summary: 'Spread of an event, when a yesMid moved by 0.005 or more.',
    example: { kind: 'event', universalId },
    type: 'event.spread',
    writer: 'events',
    delivering: true,
    refillPath: eventPath('spread'),
    status: eventStatus((id) => ({ kind: 'event' as const, universalId: id })),
  },
  arbitrage: {
    summary: 'Arbitrage of an event with a positive net edge.',
    example: { kind: 'arbitrage', universalId },
    type: 'event.arbitrage',
    writer: 'events',
    delivering: true,
    refillPath: eventPath('arbitrage'),
    status: eventStatus((id) => ({ kind: 'arbitrage' as const, universalId: id })),
  },
  'trade-event': {
    summary: `Fills on all linked markets of an event. ${FILLS_OF_A_BLOCK}`,
    example: { kind: 'trade-event', universalId },
    type: 'trade.observed',
    writer: 'events',
    delivering: true,
    refillPath: eventPath('trades'),
    status: eventStatus((id) => ({ kind: 'trade-event' as const, universalId: id })),
  },
  'trade-provider': {
    summary: `Every fill of a provider; also ${TRADE_STREAM_PROVIDERS.slice(0, -1).join(', ')}. ${FILLS_OF_A_BLOCK}`,
    example: { kind: 'trade-provider', provider: TRADE_STREAM_PROVIDERS.at(-1)! },
    type: 'trade.observed',
    writer: 'events',
    delivering: true,
  },
  'user-trade': {
    summary: `Fills of an organization's bound wallets; for that organization alone. ${FILLS_OF_A_BLOCK}`,
    example: { kind: 'user-trade', orgId: 'org_1' },
    type: 'user.fill',
    writer: 'organizations',
    delivering: true,
    ownerOf: ({ orgId }) => orgId,
  },
  'anomaly-event': {
    summary: 'Anomalies of an event.',
    example: { kind: 'anomaly-event', universalId },
    type: 'anomaly.detected',
    writer: 'events',
    delivering: true,
    refillPath: eventPath('anomaly-history'),
  },
  'anomaly-kind': {
    summary: 'Anomalies of one kind, of every event.',
    example: { kind: 'anomaly-kind', anomalyKind: 'trade-volume' },
    type: 'anomaly.detected',
    writer: 'events',
    delivering: true,
  },
  'anomaly-all': {
    summary: 'Every anomaly.',
    example: { kind: 'anomaly-all' },
    type: 'anomaly.detected',
    writer: 'events',
    delivering: true,
  },
  'dispute-event': {
    summary: 'Dispute phases of an event.',
    example: { kind: 'dispute-event', universalId },
    type: 'settlement.dispute',
    writer: 'events',
    delivering: true,
    refillPath: eventPath('dispute-history'),
  },
  'dispute-venue': {
    summary: 'Every dispute phase of venue_b.',
    example: { kind: 'dispute-venue' },
    type: 'settlement.dispute',
    writer: 'events',
    delivering: true,
  },
  settlement: {
    summary: 'The first settlement of an event on each provider.',
    example: { kind: 'settlement', universalId },
    type: 'settlement.landed',
    writer: 'events',
    delivering: true,
    refillPath: eventPath('settlement'),
  },
};

/** The kinds of raw channels, by provider, and for those about many instruments by `<provider>:*`. */
const RAW_KINDS: ReadonlyMap<string, ChannelKind<'raw'>> = new Map(
  RAW_CHANNELS.map(({ provider, example: instrument, summary, writer }) => [
    rawKindName({ provider, instrument }),
    {
      summary,
      example: { kind: 'raw', provider, instrument },
      type: 'raw',
      writer: writer ?? 'events',
      delivering: writer !== null,
      ...(writer !== null && instrument !== '*' ? { status: instrumentStatus(provider) } : {}),
    },
  ]),
);

/** Every kind of channel. */
export const ALL_KINDS = [
  ...Object.values(CHANNEL_KINDS),
  ...RAW_KINDS.values(),
] as unknown as readonly ChannelKind<Kind>[];

/** The declaration of a channel's kind. */
export function kindOf(channel: ChannelName): ChannelKind<Kind> {
  const kind = channel.kind === 'raw' ? RAW_KINDS.get(rawKindName(channel)) : CHANNEL_KINDS[channel.kind];
  // Each entry accepts the names of its own kind, and the name selects the entry.
  return kind as unknown as ChannelKind<Kind>;
}

/** The channels whose subscribers receive the status of an event or an instrument. */
export function channelsWithStatusOf(what: 'event' | 'instrument', id: string): ChannelName[] {
  return ALL_KINDS.flatMap(({ status: shows }) => (shows?.what === what ? [shows.channelOf(id)] : []));
}
