/** What the venue's lists of all kinds of instruments have in common (venue page, section 2.1). */

import type { Emit } from '#infra/stages/stage';
import { type Instrument, instrumentTopics } from '#schemas/topics/normalised';
import { providerOf } from '#schemas/venues/venue-a/coin-market';
import { findGone } from '#schemas/venues/venue-a/missing-names';
import type { VenueAState } from './state.ts';

/**
 * A validated instrument of a list. Which pairs are canonical also depends on their volumes (`canonical-pairs.ts`), and
 * whose trades are left out on what ingest subscribes.
 */
export type InstrumentMessage = Omit<Instrument, 'receivedAt' | 'canonical' | 'tradesLeftOut'>;

/** The fields that only some kinds of instruments have, as they are for the other kinds. */
const UNSET = { maxLeverage: null, dex: null, base: null, quote: null, quoteDecimals: null } as const;
type UnsetField = keyof typeof UNSET;

/** Makes an instrument of the fields that its kind has. */
export function instrumentMessage(
  fields: Omit<InstrumentMessage, 'provider' | UnsetField> & Partial<Pick<InstrumentMessage, UnsetField>>,
): InstrumentMessage {
  return { provider: providerOf(fields.coin), ...UNSET, ...fields };
}

/** Emits the instruments that are new or changed. */
export function emitInstruments(
  state: VenueAState,
  instruments: readonly InstrumentMessage[],
  receivedAt: number,
  emit: Emit,
): void {
  for (const instrument of instruments) {
    const canonical = state.instruments.get(instrument.coin)?.canonical ?? false;
    const tradesLeftOut = state.tradesLeftOut.has(instrument.coin);
    emitIfChanged(state, { ...instrument, canonical, tradesLeftOut, receivedAt }, emit);
  }
}

/** Emits the instruments of these coins as delisted. */
export function emitDelisted(state: VenueAState, coins: Iterable<string>, receivedAt: number, emit: Emit): void {
  for (const coin of coins) {
    const instrument = state.instruments.get(coin);
    if (instrument) emitIfChanged(state, { ...instrument, delisted: true, receivedAt }, emit);
  }
}

/**
 * Emits the instruments that are gone from the complete lists of their kind as delisted.
 * @param isOfList true for the instruments that a complete list contains.
 */
export function emitGone(
  state: VenueAState,
  kind: 'pairs' | 'contracts',
  isOfList: (instrument: Instrument) => boolean,
  list: readonly InstrumentMessage[],
  receivedAt: number,
  emit: Emit,
): void {
  const known = [...state.instruments.values()].filter((instrument) => isOfList(instrument) && !instrument.delisted);
  const listed = new Set(list.map(({ coin }) => coin));
  const coins = known.map(({ coin }) => coin);
  emitDelisted(state, findGone(state.missing[kind], coins, listed, receivedAt), receivedAt, emit);
}

/** Handles the coins whose trades are left out from now on; those of all others are subscribed. */
export function processTradesLeftOut(
  state: VenueAState,
  coins: readonly string[],
  receivedAt: number,
  emit: Emit,
): void {
  const before = new Set(state.tradesLeftOut);
  state.tradesLeftOut.clear();
  for (const coin of coins) state.tradesLeftOut.add(coin);
  for (const coin of new Set([...before, ...coins])) {
    const instrument = state.instruments.get(coin);
    const tradesLeftOut = state.tradesLeftOut.has(coin);
    if (instrument) emitIfChanged(state, { ...instrument, tradesLeftOut, receivedAt }, emit);
  }
}

/** Emits an instrument unless it equals the emitted one in everything but its time. */
export function emitIfChanged(state: VenueAState, instrument: Instrument, emit: Emit): void {
  const before = state.instruments.get(instrument.coin);
  if (before && isSame(before, instrument)) return;
  state.instruments.set(instrument.coin, instrument);
  emit(instrumentTopics.venue_a, instrument.coin, instrument);
}

function isSame(a: Instrument, b: Instrument): boolean {
  return (Object.keys(b) as (keyof Instrument)[]).every((field) => field === 'receivedAt' || a[field] === b[field]);
}
