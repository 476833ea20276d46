import type { ArbitrageKind } from '#schemas/domain/arbitrage/pair';
import type { Walk } from '#schemas/domain/arbitrage/walk';
import { type Book, createBook } from '#schemas/domain/book';
import type { Decimal } from '#schemas/domain/decimal';
import type { Arbitrage, EventLink } from '#schemas/topics/derived';
import type { MarketStatus } from '#schemas/topics/normalised';
import { dropOldest } from '../shared/drop-oldest.ts';

/** The book of a coin or token, with the status that shows if it can be relied on. */
export interface InstrumentState {
  book: Book;
  /** Receive time of its last book frame. */
  bookAt: number | null;
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
    unlinked: new Set(),
    unpublished: new Set(),
    profitable: new Set(),
    outdatedAges: new Set(),
  };
}

/** Returns the instrument of a received record, and creates it if it is new. */
export function instrumentOf(state: SpreadsState, name: string): InstrumentState {
  const known = state.instruments.get(name);
  if (!known || known.links.length === 0) markUnlinked(state, name);
  return known ?? addInstrument(state, name);
}

/** Removes an instrument that ended, unless an event has a leg on it. */
export function removeUnlinked(state: SpreadsState, name: string): void {
  if (state.unlinked.delete(name)) state.instruments.delete(name);
}

function addInstrument(state: SpreadsState, name: string): InstrumentState {
  const instrument: InstrumentState = { book: createBook(), bookAt: null, state: null, links: [] };
  state.instruments.set(name, instrument);
  return instrument;
}

/** Links an instrument with a leg of an event. */
export function linkInstrument(state: SpreadsState, name: string, link: LegLink): void {
  const instrument = state.instruments.get(name) ?? addInstrument(state, name);
  state.unlinked.delete(name);
  const isLinked = instrument.links.some(
    ({ universalId, leg }) => universalId === link.universalId && leg === link.leg,
  );
  if (!isLinked) instrument.links.push(link);
}

/** Unlinks an instrument from an event. A book without an event stays for a while, since its market may be moving. */
export function unlinkInstrument(state: SpreadsState, name: string, universalId: string): void {
  const instrument = state.instruments.get(name);
  if (!instrument) return;
  instrument.links = instrument.links.filter((link) => link.universalId !== universalId);
  if (instrument.links.length > 0) return;
  if (instrument.bookAt !== null || instrument.state !== null) markUnlinked(state, name);
  // An instrument without book and state ended before.
  else state.instruments.delete(name);
}

/** Moves an instrument to the end: sets and their snapshots preserve the order of insertion. */
function markUnlinked(state: SpreadsState, name: string): void {
  state.unlinked.delete(name);
  state.unlinked.add(name);
  dropOldest(state.unlinked, UNLINKED_MAX, { drop: (oldest) => removeUnlinked(state, oldest) });
}
