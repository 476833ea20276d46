import { type Book, createBook } from '#schemas/domain/book';
import type { Decimal } from '#schemas/domain/decimal';
import type { Arbitrage } from '#schemas/topics/derived';
import type { Walk } from './walk.ts';

/** The book of a coin or token and whether it can be relied on. */
export interface InstrumentState {
  book: Book;
  /** Receive time of its last book frame. */
  bookAt: number | null;
  /** Its connection lives and its book is whole. */
  live: boolean;
  /** Events with a leg on it. */
  events: string[];
}

/** One linked market in use, seen from its event. */
export interface LegState {
  readonly provider: string;
  readonly marketId: string;
  readonly yes: string;
  readonly no: string | null;
  /** Its YES is the event's NO. */
  readonly inverse: boolean;
  /** Rate of the provider's fee formula; null is unknown. */
  readonly rate: Decimal | null;
  /** What the head shows: prices of the event's YES as text, its middle, and liveness. */
  bid: string | null;
  ask: string | null;
  mid: Decimal | null;
  midText: string | null;
  live: boolean;
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
  /** The older book frame of the two when the head was told. */
  toldBookAt: number;
}

export interface EventState {
  readonly universalId: string;
  legs: LegState[];
  /** Legs of two providers or more. */
  comparable: boolean;
  /** Middles as published last, by leg; null before the first time. */
  published: (Decimal | null)[] | null;
  best: Record<ArbitrageKind, BestState | null>;
}

/** Bounded by the open events and by `UNLINKED_MAX` books of instruments that no event has yet. */
export interface SpreadsState {
  /** Shares that the walks of all legs are made for; null before the first event. */
  size: Decimal | null;
  readonly events: Map<string, EventState>;
  readonly instruments: Map<string, InstrumentState>;
  /** Instruments without an event, the least recently heard of first. */
  readonly unlinked: Set<string>;
  /** Events whose legs changed without a book: published at the next tick. */
  readonly unpublished: Set<string>;
  /** Events with a record above zero: told at every tick. */
  readonly profitable: Set<string>;
  /** Events whose books were confirmed without a change of the record: the age in their heads is renewed at a tick. */
  readonly aged: Set<string>;
}

/**
 * Books kept of instruments that no event has yet; beyond it the one that was heard of least recently goes. Ended
 * instruments are let go of at once, so it takes this many open ones to come so far.
 */
export const UNLINKED_MAX = 20_000;

export function createSpreadsState(): SpreadsState {
  return {
    size: null,
    events: new Map(),
    instruments: new Map(),
    unlinked: new Set(),
    unpublished: new Set(),
    profitable: new Set(),
    aged: new Set(),
  };
}

/** The instrument of which something came, made if it is new. */
export function instrumentOf(state: SpreadsState, name: string): InstrumentState {
  const known = state.instruments.get(name);
  if (!known || known.events.length === 0) markUnlinked(state, name);
  return known ?? addInstrument(state, name);
}

/** Lets go of an instrument that ended, unless an event has a leg on it. */
export function forgetUnlinked(state: SpreadsState, name: string): void {
  if (state.unlinked.delete(name)) state.instruments.delete(name);
}

function addInstrument(state: SpreadsState, name: string): InstrumentState {
  const instrument: InstrumentState = { book: createBook(), bookAt: null, live: false, events: [] };
  state.instruments.set(name, instrument);
  return instrument;
}

/** Lets an instrument know that an event has a leg on it. */
export function linkInstrument(state: SpreadsState, name: string, universalId: string): void {
  const instrument = state.instruments.get(name) ?? addInstrument(state, name);
  state.unlinked.delete(name);
  if (!instrument.events.includes(universalId)) instrument.events.push(universalId);
}

/** The opposite; a book that no event needs any more is kept for a while, since its market may be moving. */
export function unlinkInstrument(state: SpreadsState, name: string, universalId: string): void {
  const instrument = state.instruments.get(name);
  if (!instrument) return;
  instrument.events = instrument.events.filter((id) => id !== universalId);
  if (instrument.events.length > 0) return;
  if (instrument.bookAt !== null || instrument.live) markUnlinked(state, name);
  // Nothing is known of it: it ended before.
  else state.instruments.delete(name);
}

/** Puts it behind all others: sets and their snapshots keep the order of insertion. */
function markUnlinked(state: SpreadsState, name: string): void {
  state.unlinked.delete(name);
  state.unlinked.add(name);
  if (state.unlinked.size <= UNLINKED_MAX) return;
  const [oldest] = state.unlinked;
  state.unlinked.delete(oldest!);
  state.instruments.delete(oldest!);
}
