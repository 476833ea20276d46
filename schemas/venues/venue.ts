/** The declaration of a venue: the data about it from which every room derives its names, topics, settings and shapes. */

/** Capabilities of a provider with universal events. */
export const EVENT_CAPABILITIES = [
  'events',
  'spread',
  'arbitrage',
  'trades',
  'candles',
  'anomalies',
  'settlement',
  'stream.spread',
  'stream.arbitrage',
  'stream.trades',
  'stream.anomalies',
  'stream.settlement',
] as const;

/** An entry of `capabilities` of `GET /providers`. */
export type Capability =
  | (typeof EVENT_CAPABILITIES)[number]
  | 'markets'
  | 'orderbook'
  | 'daily'
  | 'leaderboard'
  | 'info'
  | 'disputes'
  | 'stream.disputes'
  | 'stream.raw';

/** The raw channels `svc:stream:<provider>:<instrument>`: what the venue sends about an instrument, unchanged. */
export interface RawChannels {
  /** One sentence for the docs. */
  readonly summary: string;
  /** An instrument, for the docs. */
  readonly example: string;
  /** True if an instrument of the provider can be spelled like this. Each instrument has one spelling. */
  readonly accepts: (instrument: string) => boolean;
}

/** The one raw channel `svc:stream:<provider>:*`, about many instruments. */
export const ALL_INSTRUMENTS = { example: '*', accepts: (instrument: string) => instrument === '*' };

/** One value of `provider` in records: the venue itself, or a part of it with markets of its own. */
export interface ProviderDeclaration {
  readonly provider: string;
  /** `price`: its books and trades are about assets, never about questions. */
  readonly kind: 'price' | 'question';
  /** What an instrument of its trades and books is. */
  readonly instrument: 'coin' | 'token' | 'ticker';
  /** What clients can use today; none while the provider is planned. */
  readonly capabilities: readonly Capability[];
  /** True if its trades have the channel `svc:stream:trade:<provider>`. */
  readonly tradeChannel: boolean;
  readonly rawChannels?: readonly RawChannels[];
}

/** The URL of one interface, which a setting can change. */
export interface Upstream {
  /** Name of the setting in `infra/config/settings.ts`. */
  readonly setting: string;
  readonly variable: string;
  /** What it serves, as a sentence for `--help`. */
  readonly description: string;
  /** Protocols of the URL, without and with TLS. The simulator's URL has the first one. */
  readonly protocols: readonly ('http' | 'ws')[];
  /** The venue's own URL, used with `--venues live`. */
  readonly publicUrl: string;
}

/** One interface of a venue. What it sends is stored in the topic `raw.<venue>.<stream>`. */
export interface StreamDeclaration {
  /** Its name in topics and recordings (`<venue>.<stream>`). */
  readonly stream: string;
  /**
   * `npm run record` records `frames` from now on. It records `answers` from the oldest one that is stored: a recording
   * without the catalogs that the venue published earlier could not be read. Of `exports`, which may be larger than a
   * record and are therefore stored in parts (`domain/export-parts.ts`), it records those from the newest one on.
   */
  readonly carries: 'frames' | 'answers' | 'exports';
  readonly partitions: number;
  /** One sentence for the docs. */
  readonly description: string;
  /** Left out if the stream is read from the URL of another one. */
  readonly upstream?: Upstream;
}

/** A venue. */
export interface VenueDeclaration {
  readonly venue: string;
  readonly providers: readonly ProviderDeclaration[];
  /** Left out if no wallets and builders of the venue can be registered. */
  readonly accounts?: {
    /** The provider of a wallet that is bound to the venue as a whole. Such a wallet covers all providers of the venue. */
    readonly walletProvider: string;
    /** Hex characters of a builder after `0x`. */
    readonly builderDigits: number;
  };
  /** Left out while the venue is planned: it has no adapter and no topics then. */
  readonly streams?: readonly StreamDeclaration[];
  /**
   * True if an instrument is an outcome of a question, not an asset. It looks only at the spelling, so that stages about
   * questions skip other records without decoding them.
   */
  readonly isQuestionInstrument: (instrument: string) => boolean;
}

/** Returns the declaration itself, with its names as literal types. */
export function defineVenue<const V extends VenueDeclaration>(venue: V): V {
  return venue;
}
