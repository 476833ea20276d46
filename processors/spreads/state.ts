import { type Book, createBook } from '#schemas/domain/book';
import type { Decimal } from '#schemas/domain/decimal';
import type { Arbitrage, EventLink } from '#schemas/topics/derived';
import type { MarketStatus } from '#schemas/topics/normalised';
import { dropOldest } from '../shared/drop-oldest.ts';
import type { Walk } from './walk.ts';

/** The book of a coin or token and whether it can be relied on. */
export interface InstrumentState {
  book: Book;
  /** Receive time of its last book frame. */
  bookAt: number | null;
  /** The state of its connection and book; null while no status is known. Only a live book can be relied on. */
  state: MarketStatus['state'] | null;
  /** Legs on it, by its YES or its NO side. Named, as no object may stand in two slices of a snapshot. */
  links: LegLink[];
}

export interface LegLink {
  readonly universalId: string;
  /** Place of the leg in the event's `legs`. */
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
  /** Its YES is the event's NO. */
  readonly inverse: boolean;
  /** Only an open market can be quoted: any other leg has neither prices nor walks, whatever its books say. */
  readonly marketState: EventLink['marketState'];
  /** Rate of the provider's fee formula; null is unknown. */
  readonly rate: Decimal | null;
  /** What the head shows: prices of the event's YES and its middle, each beside its text. */
  bid: Decimal | null;
  bidText: string | null;
  ask: Decimal | null;
  askText: string | null;
  mid: Decimal | null;
  midText: string | null;
  /** The state of the YES book, as its instrument had it last. */
  bookState: InstrumentState['state'];
  /** True if the YES book can be quoted: alive and known. */
  live: boolean;
  /** The same of the NO book. */
  noLive: boolean;
  /** Selling and buying the event's YES here, and buying its NO. Null: cannot be done for the whole size. */
  sell: Walk | null;
  buy: Walk | null;
  buyNo: Walk | null;
}

export type ArbitrageKind = Arbitrage['kind'];

/** The best record of a kind now, with the legs it needs. */
export interface BestState {
  readonly record: Arbitrage;
  readonly profitable: boolean;
  readonly first: string;
  readonly second: string;
  /** What the record was made of. */
  readonly size: Decimal;
  readonly firstWalk: Walk;
  readonly secondWalk: Walk;
  /** The older book frame of the two when the head was told. */
  emittedBookAt: number;
}

/** A run of evaluations of one pair with a net edge above zero, while it lasts (`signals.ts`). */
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
  /** Legs of two providers or more. */
  comparable: boolean;
  /** Middles as published last, by leg; null before the first time. */
  published: (Decimal | null)[] | null;
  best: Record<ArbitrageKind, BestState | null>;
  /** Live signals: at most one a kind and pair of legs. */
  signals: SignalState[];
  /** When a signal began last, and how many began then: what tells runs of one moment apart. */
  signalStarts: { at: number; count: number };
}

/** Bounded by the open events and by `UNLINKED_MAX` books of instruments that no event has yet. */
export interface SpreadsState {
  /** Shares that the walks of all legs are made for; null before the first event. */
  size: Decimal | null;
  /** Since when the fee models hold that they are made with (`Fees`); null before the first event. */
  feesSince: number | null;
  readonly events: Map<string, EventState>;
  readonly instruments: Map<string, InstrumentState>;
  /** Instruments without an event, the least recently heard of first. */
  readonly unlinked: Set<string>;
  /** Events whose legs changed without a book: published at the next tick. */
  readonly unpublished: Set<string>;
  /** Events with a record above zero: told at every tick. */
  readonly profitable: Set<string>;
  /** Events whose books were confirmed without a change of the record: the age in their heads is renewed at a tick. */
  readonly outdatedAges: Set<string>;
}

/**
 * Books kept of instruments that no event has yet; beyond it those that were heard of least recently go. Ended
 * instruments are let go of at once, so it takes this many open ones to come so far.
 */
export const UNLINKED_MAX = 20_000;

export function createSpreadsState(): SpreadsState {
  return {
    size: null,
    feesSince: null,
    events: new Map(),
    instruments: new Map(),
    unlinked: new Set(),
    unpublished: new Set(),
    profitable: new Set(),
    outdatedAges: new Set(),
  };
}

/** The instrument of which something came, made if it is new. */
export function instrumentOf(state: SpreadsState, name: string): InstrumentState {
  const known = state.instruments.get(name);
  if (!known || known.links.length === 0) markUnlinked(state, name);
  return known ?? addInstrument(state, name);
}

/** Lets go of an instrument that ended, unless an event has a leg on it. */
export function forgetUnlinked(state: SpreadsState, name: string): void {
  if (state.unlinked.delete(name)) state.instruments.delete(name);
}

function addInstrument(state: SpreadsState, name: string): InstrumentState {
  const instrument: InstrumentState = { book: createBook(), bookAt: null, state: null, links: [] };
  state.instruments.set(name, instrument);
  return instrument;
}

/** Lets an instrument know that a leg of an event is on it. */
export function linkInstrument(state: SpreadsState, name: string, link: LegLink): void {
  const instrument = state.instruments.get(name) ?? addInstrument(state, name);
  state.unlinked.delete(name);
  const isLinked = instrument.links.some(
    ({ universalId, leg }) => universalId === link.universalId && leg === link.leg,
  );
  if (!isLinked) instrument.links.push(link);
}

/** The opposite; a book that no event needs any more is kept for a while, since its market may be moving. */
export function unlinkInstrument(state: SpreadsState, name: string, universalId: string): void {
  const instrument = state.instruments.get(name);
  if (!instrument) return;
  instrument.links = instrument.links.filter((link) => link.universalId !== universalId);
  if (instrument.links.length > 0) return;
  if (instrument.bookAt !== null || instrument.state !== null) markUnlinked(state, name);
  // Nothing is known of it: it ended before.
  else state.instruments.delete(name);
}

/** Puts it behind all others: sets and their snapshots keep the order of insertion. */
function markUnlinked(state: SpreadsState, name: string): void {
  state.unlinked.delete(name);
  state.unlinked.add(name);
  dropOldest(state.unlinked, UNLINKED_MAX, { drop: (oldest) => forgetUnlinked(state, oldest) });
}
