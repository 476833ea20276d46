/**
 * The ledger of one account. It applies events in their order, whatever the order of their arrival: an event that is
 * late, corrected or removed undoes those after it that it can affect, and they are applied again. Events that are older
 * than a stated time are folded into the lots and cannot change any more.
 */
import { applyEvent } from './apply.ts';
import { type Books, createBooks, positionOf, undoEffect } from './books.ts';
import { chainFills } from './chain.ts';
import type { Effect } from './effect.ts';
import { type Fill, instrumentsOf, isSameEvent, type LedgerEvent } from './events.ts';
import type { Lot } from './lots.ts';
import { compareGroups, compareTies, type EventPlace } from './order.ts';
import { sortInSlices } from './sort-in-slices.ts';

/** Events of one slice: about half a millisecond. */
export const SLICE_EVENTS = 64;

/** An event and what it did. */
export interface AppliedEvent {
  readonly event: LedgerEvent;
  readonly effects: readonly Effect[];
  /** Counts the events at the same place (`at`, `index`) in the order in which they are applied, from 0. */
  readonly nth: number;
}

export interface Ledger {
  readonly books: Books;
  /** The newest events, in order. */
  readonly applied: AppliedEvent[];
  /** Events before this time of the venue are folded into the lots. */
  foldedBefore: number;
}

/** `put` adds an event or replaces the one at the same place with the same id; `remove` removes it. */
export type LedgerChange = { readonly put: LedgerEvent } | { readonly remove: LedgerEvent };

export interface LedgerOutcome {
  /** Events that are new, changed, or have another effect than before, in order. */
  readonly written: readonly AppliedEvent[];
  /** What each of the written events did before; null for a new one. */
  readonly previous: readonly (AppliedEvent | null)[];
  /** Events that do not exist any more. */
  readonly removed: readonly AppliedEvent[];
  /** Events that are too late to change anything: the figures of their books leave them out. */
  readonly refused: readonly LedgerEvent[];
}

/** An event in its place, and what it did before; null for a new one. */
interface Placed {
  readonly event: LedgerEvent;
  readonly before: AppliedEvent | null;
}

export function createLedger(): Ledger {
  return { books: createBooks(), applied: [], foldedBefore: 0 };
}

/** Applies changes at once, and all later events again. */
export function changeLedger(ledger: Ledger, changes: readonly LedgerChange[]): LedgerOutcome {
  const newest = appendToLedger(ledger, changes);
  if (newest) return { written: [newest], previous: [null], removed: [], refused: [] };
  return drain(changeLedgerInSlices(ledger, changes));
}

/** Applies the only change if it puts an event after all others, as nearly all do; returns null for any others. */
export function appendToLedger(
  { books, applied, foldedBefore }: Ledger,
  changes: readonly LedgerChange[],
): AppliedEvent | null {
  const [only] = changes;
  if (!only || changes.length > 1 || !('put' in only)) return null;
  const event = only.put;
  if (event.ts < foldedBefore) return null;
  if (applied.length > 0 && compareGroups(applied[applied.length - 1]!.event, event) >= 0) return null;
  const newest = { event, effects: applyEvent(books, event), nth: nthAfter(applied, event) };
  applied.push(newest);
  return newest;
}

/**
 * The same in slices, which end at each `yield`: a late event can make very many be applied again. The ledger must not be
 * used before the last one.
 */
export function* changeLedgerInSlices(
  ledger: Ledger,
  changes: readonly LedgerChange[],
): Generator<undefined, LedgerOutcome> {
  const refused: LedgerEvent[] = [];
  const timely: LedgerChange[] = [];
  let start = ledger.applied.length;
  let isChanged = false;
  for (const [at, change] of changes.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    const event = eventOf(change);
    if (event.ts < ledger.foldedBefore) refused.push(event);
    else {
      timely.push(change);
      start = Math.min(start, placeStart(ledger, event));
      isChanged ||= changesLedger(ledger, change);
    }
  }
  if (!isChanged) return { written: [], previous: [], removed: [], refused };
  const changed = new Set<string>();
  for (const [at, change] of timely.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    changed.add(eventOf(change).id);
  }
  const { undone, rest } = yield* undoFrom(ledger, start, timely, changed);
  // Only of the changed events: a map of all that follow them could not grow in slices.
  const former = yield* undoneWith(changed, undone);
  const before = new Map(former.map((applied) => [applied.event.id, applied]));
  const events = new Map(former.map(({ event }) => [event.id, event]));
  for (const [at, change] of timely.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    if ('remove' in change) events.delete(change.remove.id);
    else events.set(change.put.id, withFirstReceipt(change.put, events.get(change.put.id)));
  }
  const others: Placed[] = [];
  for (const event of events.values()) {
    if (others.length % SLICE_EVENTS === 0) yield;
    others.push({ event, before: before.get(event.id) ?? null });
  }
  const { again, ...outcome } = yield* applyInOrder(ledger.books, yield* inOrder(undone, others, changed));
  yield* appendInOrder(ledger.applied, rest, again);
  return { ...outcome, removed: former.filter(({ event }) => !events.has(event.id)), refused };
}

/** Returns the event as it is applied; null if there is none at its place with its id. */
export function findEvent(ledger: Ledger, event: EventPlace): LedgerEvent | null {
  return findApplied(ledger, event)?.event ?? null;
}

/** Folds the events before a time of the venue into the lots. */
export function foldLedger(ledger: Ledger, before: number): void {
  if (before <= ledger.foldedBefore) return;
  ledger.foldedBefore = before;
  const firstLeft = ledger.applied.findIndex(({ event }) => event.ts >= before);
  ledger.applied.splice(0, firstLeft === -1 ? ledger.applied.length : firstLeft);
}

function nthAfter(applied: readonly AppliedEvent[], { at, index }: LedgerEvent): number {
  const last = applied.at(-1);
  return last && isSamePlace(last.event, { at, index }) ? last.nth + 1 : 0;
}

function eventOf(change: LedgerChange): LedgerEvent {
  return 'put' in change ? change.put : change.remove;
}

/** False for an event that is already applied as it is, and for the removal of one that does not exist. */
function changesLedger(ledger: Ledger, change: LedgerChange): boolean {
  const event = eventOf(change);
  const existing = findApplied(ledger, event);
  return 'remove' in change ? existing !== null : existing === null || !isSameEvent(existing.event, event);
}

function findApplied(ledger: Ledger, event: EventPlace): AppliedEvent | null {
  const { applied } = ledger;
  for (let at = groupStart(ledger, event); at < applied.length; at += 1) {
    const found = applied[at]!;
    if (compareGroups(found.event, event) !== 0) return null;
    if (found.event.id === event.id) return found;
  }
  return null;
}

/** Returns the position of the first event that is not in a group before that of `event`. */
function groupStart({ applied }: Ledger, event: EventPlace): number {
  let low = 0;
  let high = applied.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareGroups(applied[middle]!.event, event) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the position of the first event that is not at a place before that of `event`. */
function placeStart(ledger: Ledger, event: EventPlace): number {
  let start = groupStart(ledger, event);
  while (start > 0 && isSamePlace(ledger.applied[start - 1]!.event, event)) start -= 1;
  return start;
}

/**
 * Removes the events from a position on, and undoes those that the changes can affect. The others do not depend on these,
 * so their effects stay: an account with many instruments applies few events again.
 * @returns the undone events and the rest, both in order.
 */
function* undoFrom(
  { books, applied }: Ledger,
  start: number,
  changes: readonly LedgerChange[],
  ids: ReadonlySet<string>,
): Generator<undefined, { undone: AppliedEvent[]; rest: AppliedEvent[] }> {
  const later = applied.splice(start);
  const isAffected = yield* affectedEvents(later, changes, ids);
  const [undone, rest]: [AppliedEvent[], AppliedEvent[]] = [[], []];
  for (const [at, one] of later.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    (isAffected[at] === 1 ? undone : rest).push(one);
  }
  for (let at = undone.length - 1; at >= 0; at -= 1) {
    if (at % SLICE_EVENTS === 0) yield;
    const { effects } = undone[at]!;
    for (let part = effects.length - 1; part >= 0; part -= 1) undoEffect(books, effects[part]!);
  }
  return { undone, rest };
}

/**
 * Determines which events the changes can affect: the changed ones, those of their instruments, those of instruments that
 * share an event with these (a split, a merge, a conversion), and all events at the place of one of them.
 * @returns 1 or 0 for each event.
 */
function* affectedEvents(
  later: readonly AppliedEvent[],
  changes: readonly LedgerChange[],
  ids: ReadonlySet<string>,
): Generator<undefined, Uint8Array> {
  const instruments = new Set<string>();
  const places = new Set<string>();
  for (const [at, change] of changes.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    const event = eventOf(change);
    for (const name of instrumentsOf(event)) instruments.add(name);
    places.add(placeOf(event));
  }
  const isAffected = new Uint8Array(later.length);
  for (let known = -1; known < instruments.size; ) {
    known = instruments.size;
    for (let at = 0, end = 0, sliced = 0; at < later.length; at = end) {
      if (at - sliced >= SLICE_EVENTS) {
        sliced = at;
        yield;
      }
      const { event } = later[at]!;
      end = at + 1;
      while (end < later.length && isSamePlace(event, later[end]!.event)) end += 1;
      if (isAffected[at] === 1) continue;
      const group = later.slice(at, end);
      const names = group.flatMap((one) => instrumentsOf(one.event));
      const isOne =
        places.has(placeOf(event)) ||
        group.some((one) => ids.has(one.event.id)) ||
        names.some((name) => instruments.has(name));
      if (!isOne) continue;
      isAffected.fill(1, at, end);
      for (const name of names) instruments.add(name);
    }
  }
  return isAffected;
}

const placeOf = ({ at, index }: EventPlace): string => `${at} ${index}`;
type Place = Pick<EventPlace, 'at' | 'index'>;
const isSamePlace = (a: Place, b: Place): boolean => a.at === b.at && a.index === b.index;

/** Returns those events that have one of the ids. */
function* undoneWith(ids: ReadonlySet<string>, undone: readonly AppliedEvent[]): Generator<undefined, AppliedEvent[]> {
  const found: AppliedEvent[] = [];
  for (const [at, applied] of undone.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    if (ids.has(applied.event.id)) found.push(applied);
  }
  return found;
}

/**
 * Sorts events by group. Those that were applied are sorted already, so only the changed ones are, and both are merged.
 * @param unsorted the changed events.
 */
function* inOrder(
  undone: readonly AppliedEvent[],
  unsorted: readonly Placed[],
  changed: ReadonlySet<string>,
): Generator<undefined, Placed[]> {
  const others = yield* sortInSlices(unsorted, (a, b) => compareGroups(a.event, b.event), SLICE_EVENTS);
  const sorted: Placed[] = [];
  let next = 0;
  for (const [at, before] of undone.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    const { event } = before;
    // A corrected event may have another place.
    if (changed.has(event.id)) continue;
    while (next < others.length && compareGroups(others[next]!.event, event) < 0) {
      sorted.push(others[next]!);
      next += 1;
    }
    sorted.push({ event, before });
  }
  for (; next < others.length; next += 1) {
    if (next % SLICE_EVENTS === 0) yield;
    sorted.push(others[next]!);
  }
  return sorted;
}

/**
 * Applies events, and returns those that are new, changed, or have another effect than before.
 * @param placed sorted by group.
 */
function* applyInOrder(
  books: Books,
  placed: readonly Placed[],
): Generator<undefined, Pick<LedgerOutcome, 'written' | 'previous'> & { readonly again: readonly AppliedEvent[] }> {
  const again: AppliedEvent[] = [];
  const written: AppliedEvent[] = [];
  const previous: (AppliedEvent | null)[] = [];
  for (let at = 0; at < placed.length; ) {
    let end = at + 1;
    while (end < placed.length && compareGroups(placed[at]!.event, placed[end]!.event) === 0) end += 1;
    for (const { event, before } of yield* inPositionOrder(books, placed.slice(at, end))) {
      if (again.length % SLICE_EVENTS === SLICE_EVENTS - 1) yield;
      const now = { event, effects: applyEvent(books, event), nth: nthAfter(again, event) };
      again.push(now);
      if (before && isSameApplied(before, now)) continue;
      written.push(now);
      previous.push(before);
    }
    at = end;
  }
  return { again, written, previous };
}

/** Appends two lists of events that have no place in common, in order. */
function* appendInOrder(
  applied: AppliedEvent[],
  rest: readonly AppliedEvent[],
  again: readonly AppliedEvent[],
): Generator<undefined, void> {
  for (let at = 0, next = 0; at < rest.length || next < again.length; ) {
    if ((at + next) % SLICE_EVENTS === 0) yield;
    const [one, other] = [rest[at], again[next]];
    if (other && (!one || compareGroups(other.event, one.event) < 0)) {
      applied.push(other);
      next += 1;
    } else {
      applied.push(one!);
      at += 1;
    }
  }
}

/** Orders the events of a group. */
function* inPositionOrder(books: Books, group: Placed[]): Generator<undefined, readonly Placed[]> {
  if (group.length === 1) return group;
  group.sort((a, b) => compareTies(a.event, b.event));
  const events = group.map(({ event }) => event);
  const fills = events.filter((event): event is Fill => event.kind === 'fill' && event.startPosition !== null);
  if (fills.length < group.length) return group;
  const placed = new Map(group.map((own) => [own.event, own]));
  const ordered = yield* chainFills(fills, positionOf(books, fills[0]!.instrument));
  return ordered.map((fill) => placed.get(fill)!);
}

function withFirstReceipt(event: LedgerEvent, existing: LedgerEvent | undefined): LedgerEvent {
  return existing ? { ...event, receivedAt: existing.receivedAt } : event;
}

function isSameApplied(a: AppliedEvent, b: AppliedEvent): boolean {
  return (
    (a.event === b.event || isSameEvent(a.event, b.event)) &&
    a.nth === b.nth &&
    a.effects.length === b.effects.length &&
    a.effects.every((effect, at) => isSameEffect(effect, b.effects[at]!))
  );
}

/** The numbers of lots do not count: an earlier event that is added or removed changes those of all later ones. */
function isSameEffect(a: Effect, b: Effect): boolean {
  return (
    a.instrument === b.instrument &&
    a.builder === b.builder &&
    a.kind === b.kind &&
    a.qty === b.qty &&
    a.price === b.price &&
    a.realized === b.realized &&
    a.partial === b.partial &&
    a.grows?.openedBy === b.grows?.openedBy &&
    a.closes.length === b.closes.length &&
    a.closes.every((part, at) => isSamePart(part, b.closes[at]!))
  );
}

function isSamePart(a: Lot, b: Lot): boolean {
  // The price of a part that is removed at cost is in nothing else.
  return a.openedBy === b.openedBy && a.qty === b.qty && a.price === b.price;
}

/** Runs all slices at once. */
function drain<T>(slices: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}
