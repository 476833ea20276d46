/** Adds, links and removes the instruments of the state. */
import { createBook } from '#schemas/domain/book';
import { dropOldest } from '../shared/drop-oldest.ts';
import { type Occasion, removeBookHead } from './book-heads.ts';
import { type InstrumentState, type LegLink, type SpreadsState, UNLINKED_MAX } from './state.ts';

/** Returns the instrument of a received record, and creates it if it is new. */
export function instrumentOf(state: SpreadsState, name: string, occasion: Occasion): InstrumentState {
  const known = state.instruments.get(name);
  if (!known || known.links.length === 0) markUnlinked(state, name, occasion);
  return known ?? addInstrument(state, name);
}

/** Removes an instrument that ended, unless an event has a leg on it. */
export function removeUnlinked(state: SpreadsState, name: string, occasion: Occasion): void {
  if (!state.unlinked.delete(name)) return;
  dropBook(state, name, occasion);
  state.instruments.delete(name);
}

/** Drops the book of an instrument, with its head. */
export function dropBook(state: SpreadsState, name: string, occasion: Occasion): void {
  const instrument = state.instruments.get(name);
  if (!instrument || instrument.bookAt === null) return;
  instrument.book = createBook();
  instrument.bookAt = null;
  instrument.ts = null;
  removeBookHead(state, name, occasion);
}

function addInstrument(state: SpreadsState, name: string): InstrumentState {
  const instrument: InstrumentState = { book: createBook(), bookAt: null, ts: null, state: null, links: [] };
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
export function unlinkInstrument(state: SpreadsState, name: string, universalId: string, occasion: Occasion): void {
  const instrument = state.instruments.get(name);
  if (!instrument) return;
  instrument.links = instrument.links.filter((link) => link.universalId !== universalId);
  if (instrument.links.length > 0) return;
  if (instrument.bookAt !== null || instrument.state !== null) markUnlinked(state, name, occasion);
  // An instrument without book and state ended before.
  else state.instruments.delete(name);
}

/** Moves an instrument to the end: sets and their snapshots preserve the order of insertion. */
function markUnlinked(state: SpreadsState, name: string, occasion: Occasion): void {
  state.unlinked.delete(name);
  state.unlinked.add(name);
  dropOldest(state.unlinked, UNLINKED_MAX, { drop: (oldest) => removeUnlinked(state, oldest, occasion) });
}
