import type { TradeChannelProvider } from '../domain/providers.ts';
import type { ChannelWriter } from '../topics/channels.ts';
import type { RawProvider } from '../venues/raw-channels.ts';

/** Channel suffixes of the anomaly firehoses; kebab-case, unlike the `kind` of a record. */
export const ANOMALY_CHANNEL_KINDS = ['trade-volume', 'spread-widening', 'wallet-burst', 'settlement-delay'] as const;
export type AnomalyChannelKind = (typeof ANOMALY_CHANNEL_KINDS)[number];

/** The parts of a name, without what follows from its kind. */
export type ChannelName =
  /** `event.spread` of one event. */
  | { readonly kind: 'event'; readonly universalId: string }
  /** `event.arbitrage` of one event. */
  | { readonly kind: 'arbitrage'; readonly universalId: string }
  /** `trade.observed` on the linked markets of one event. */
  | { readonly kind: 'trade-event'; readonly universalId: string }
  /** Every `trade.observed` of one provider. */
  | { readonly kind: 'trade-provider'; readonly provider: TradeChannelProvider }
  /** `user.fill` of one organization's bound wallets. */
  | { readonly kind: 'user-trade'; readonly orgId: string }
  | { readonly kind: 'anomaly-event'; readonly universalId: string }
  | { readonly kind: 'anomaly-kind'; readonly anomalyKind: AnomalyChannelKind }
  | { readonly kind: 'anomaly-all' }
  | { readonly kind: 'dispute-event'; readonly universalId: string }
  /** Every dispute phase of venue_b. */
  | { readonly kind: 'dispute-venue' }
  | { readonly kind: 'settlement'; readonly universalId: string }
  /** What a venue sends about one instrument of a provider, or on `*` about many. */
  | { readonly kind: 'raw'; readonly provider: RawProvider; readonly instrument: string };

export type Channel = ChannelName & {
  /** The writer whose topic (`schemas/topics/channels`) contains its frames. */
  readonly writer: ChannelWriter;
};
