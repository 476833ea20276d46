/** State of the normaliser of venue_a. It is plain data, since snapshots serialize it with `v8.serialize`. */
import type { AssetContext, Instrument, PerpDex } from '#schemas/topics/normalised';
import type { MissingSince } from '#schemas/venues/venue-a/missing-names';
import { type ChannelSeqs, createChannelSeqs } from '../../../shared/channel-seqs.ts';
import { type AcquiredParts, createAcquiredParts } from '../../shared/acquired-parts.ts';
import { createLivenessState, type LivenessState } from '../../shared/liveness.ts';
import { type AccountMarkets, type AccountResponse, createAccountMarkets } from './account-state.ts';
import type { BarRanges } from './bar-ranges.ts';
import { createOutcomeState, type OutcomeState } from './outcome-state.ts';
import type { SeenTrades } from './seen-trades.ts';
import { createTradeSubscriptions, type TradeSubscriptions } from './trade-subscriptions.ts';

export interface VenueAState {
  /** Number of trades emitted so far. */
  arrival: number;
  readonly seenTrades: SeenTrades;
  readonly tradeSubscriptions: TradeSubscriptions;
  readonly barRanges: BarRanges;
  /** Venue time of the newest book, by coin. */
  readonly bookTimes: Map<string, number>;
  /** Last emitted context by coin. */
  readonly contexts: Map<string, AssetContext>;
  /** When the context of each spot pair was last received, also an unchanged one. */
  readonly spotReports: Map<string, number>;
  /** Newest value of `allMids` as the venue wrote it, by coin. */
  readonly allMids: Map<string, string>;
  /** Coins whose newest context states that they have no mid. */
  readonly withoutMid: Set<string>;
  /** Last emitted instrument by coin. */
  readonly instruments: Map<string, Instrument>;
  /** Coins whose trades the venue's limit of subscriptions leaves out. */
  readonly tradesLeftOut: Set<string>;
  /** Last emitted builder dex by name. */
  readonly perpDexes: Map<string, PerpDex>;
  /** What the newest lists lack and is not delisted yet. */
  readonly missing: {
    readonly pairs: MissingSince;
    readonly contracts: MissingSince;
    readonly dexes: MissingSince;
  };
  /** Coins of each perp dex in the order of its contexts; the main dex is ``. */
  readonly universes: Map<string, readonly string[]>;
  readonly outcomes: OutcomeState;
  /** What prices of accounts need beside instruments and contexts. */
  readonly accountMarkets: AccountMarkets;
  /** Responses about accounts that wait for the others of their acquisition. */
  readonly acquiredParts: AcquiredParts<AccountResponse>;
  /** Since when each connection is open; for a recording, since its start. Bounded by the number of connections. */
  readonly connectedAt: Map<string, number>;
  readonly channelSeqs: ChannelSeqs;
  readonly liveness: LivenessState;
}

export function createVenueAState(): VenueAState {
  return {
    arrival: 0,
    seenTrades: new Map(),
    tradeSubscriptions: createTradeSubscriptions(),
    barRanges: new Map(),
    bookTimes: new Map(),
    contexts: new Map(),
    spotReports: new Map(),
    allMids: new Map(),
    withoutMid: new Set(),
    instruments: new Map(),
    tradesLeftOut: new Set(),
    perpDexes: new Map(),
    missing: { pairs: new Map(), contracts: new Map(), dexes: new Map() },
    universes: new Map(),
    outcomes: createOutcomeState(),
    accountMarkets: createAccountMarkets(),
    acquiredParts: createAcquiredParts(),
    connectedAt: new Map(),
    channelSeqs: createChannelSeqs(),
    liveness: createLivenessState(),
  };
}
