import type { ArbitrageKind } from '#schemas/domain/arbitrage/pair';
import type { Walk } from '#schemas/domain/arbitrage/walk';
import type { Book } from '#schemas/domain/book';
import type { Decimal } from '#schemas/domain/decimal';
import type { Arbitrage, EventLink } from '#schemas/topics/derived';
import type { MarketStatus } from '#schemas/topics/normalised';

/** The book of a coin or token, with the status that shows if it can be relied on. */
export interface InstrumentState {
  book: Book;
  /** Receive time of its last book frame. */
  bookAt: number | null;
  /** The venue's time of that frame. */
  ts: number | null;
  /** The state of its connection and book; null while no status is known. Only a live book can be relied on. */
  state: MarketStatus['state'] | null;
  /** Legs that use it as their YES or NO side: by id, because no object may be in two slices of a snapshot. */
  links: LegLink[];
}

export interface LegLink {
  readonly universalId: string;
  /** Index of the leg in the event's `legs`. */
  readonly leg: number;
  /** True if it is the leg's YES side. */
  readonly isYes: boolean;
}

/** One linked market in use, seen from its event. */
export interface LegState {
  readonly provider: string;
  readonly marketId: string;
  readonly yes: string;
  readonly no: string | null;
  /** True if its YES is the event's NO. */
  readonly inverse: boolean;
  /** Only an open market can be quoted: any other leg has neither prices nor walks, whatever its books. */
  readonly marketState: EventLink['marketState'];
  /** Rate of the provider's fee formula; null if unknown. */
  readonly rate: Decimal | null;
  /** Prices that the head shows: bid, ask and mid price of the event's YES, each with its text. */
  bid: Decimal | null;
  bidText: string | null;
  ask: Decimal | null;
  askText: string | null;
  mid: Decimal | null;
  midText: string | null;
  /** Newest state of the YES book's instrument. */
  bookState: InstrumentState['state'];
  /** True if the YES book can be quoted: live and known. */
  live: boolean;
  /** The same for the NO book. */
  noLive: boolean;
  /** Walks for selling and buying the event's YES in its YES book; null if impossible for the full size. */
  sell: Walk | null;
  buy: Walk | null;
  /** Walks for buying the market's YES token and its NO token, each in its own book. */
  buyYesToken: Walk | null;
  buyNoToken: Walk | null;
}

/** The current best record of a kind, with its inputs. */
export interface BestState {
  readonly record: Arbitrage;
  readonly profitable: boolean;
  readonly first: string;
  readonly second: string;
  /** Inputs of the record. */
  readonly size: Decimal;
  readonly firstWalk: Walk;
  readonly secondWalk: Walk;
  /** Receive time of the older of the two book frames when the head was emitted. */
  emittedBookAt: number;
}

/** A run of evaluations of one pair with a net edge above zero that has not ended (`signals.ts`). */
export interface SignalState {
  readonly id: string;
  readonly kind: ArbitrageKind;
  readonly firstProvider: string;
  readonly firstMarketId: string;
  readonly secondProvider: string;
  readonly secondMarketId: string;
  readonly beganAt: number;
  /** USD per share. */
  peak: Decimal;
  peakAt: number;
  decayedAt: number | null;
}

export interface EventState {
  readonly universalId: string;
  legs: LegState[];
  /** True if the legs are of at least two providers. */
  comparable: boolean;
  /** Mid prices as published last, by leg; null before the first time. */
  published: (Decimal | null)[] | null;
  best: Record<ArbitrageKind, BestState | null>;
  /** Live signals: at most one a kind and pair of legs. */
  signals: SignalState[];
  /** When a signal started last, and how many started then, which distinguishes runs of the same moment. */
  signalStarts: { at: number; count: number };
}

/** Bounded by the open events and by `UNLINKED_MAX` books of instruments without an event. */
export interface SpreadsState {
  /** Number of shares that all walks are calculated for; null before the first record. */
  size: Decimal | null;
  /** `Fees.since` of the fee models that all walks are calculated with; null before the first record. */
  feesSince: number | null;
  readonly events: Map<string, EventState>;
  readonly instruments: Map<string, InstrumentState>;
  /** Instruments whose book changed since its last head, with the time at which the next one is due. */
  readonly changedBooks: Map<string, number>;
  /** All heads that were due at this time are emitted. */
  headsEmittedAt: number;
  /** Instruments without an event, the least recently updated first. */
  readonly unlinked: Set<string>;
  /** Events whose legs changed without a book record: published at the next tick. */
  readonly unpublished: Set<string>;
  /** Events with a record above zero: emitted at every tick. */
  readonly profitable: Set<string>;
  /** Events whose books were confirmed without a changed record: the age in their heads is updated at a tick. */
  readonly outdatedAges: Set<string>;
}

/**
 * Greatest number of instruments without an event; beyond it the least recently updated are dropped. Ended instruments
 * are removed at once, so only this many open ones reach the bound.
 */
export const UNLINKED_MAX = 20_000;

export function createSpreadsState(): SpreadsState {
  return {
    size: null,
    feesSince: null,
    events: new Map(),
    instruments: new Map(),
    changedBooks: new Map(),
    headsEmittedAt: 0,
    unlinked: new Set(),
    unpublished: new Set(),
    profitable: new Set(),
    outdatedAges: new Set(),
  };
}
