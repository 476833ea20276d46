/**
 * The ledger of one account. It applies events in their order, whatever the order of their arrival: an event that is
 * late, corrected or removed undoes those after it, and they are applied again. Events that are older than a stated time
 * are folded into the lots and cannot change any more.
 */
import { applyEvent } from './apply.ts';
import { type Books, createBooks, positionOf, undoEffect } from './books.ts';
import { chainFills } from './chain.ts';
import type { Effect } from './effect.ts';
import { type Fill, isSameEvent, type LedgerEvent } from './events.ts';
import type { Lot } from './lots.ts';
import { compareGroups, compareTies, type EventPlace } from './order.ts';

/** Events of one slice: about half a millisecond. */
export const SLICE_EVENTS = 64;

/** An event and what it did. */
export interface AppliedEvent {
  readonly event: LedgerEvent;
  readonly effects: readonly Effect[];
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
  /** Events that do not exist any more. */
  readonly removed: readonly AppliedEvent[];
  /** What the written events did before, by id. */
  readonly previous: ReadonlyMap<string, AppliedEvent>;
  /** Events that are too late to change anything: the figures of their books leave them out. */
  readonly refused: readonly LedgerEvent[];
}

export function createLedger(): Ledger {
  return { books: createBooks(), applied: [], foldedBefore: 0 };
}

/** Applies changes at once, and all later events again. */
export function changeLedger(ledger: Ledger, changes: readonly LedgerChange[]): LedgerOutcome {
  const newest = appendToLedger(ledger, changes);
  if (newest) return { written: [newest], removed: [], previous: new Map(), refused: [] };
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
  const newest = { event, effects: applyEvent(books, event) };
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
  const refused = changes.map(eventOf).filter(({ ts }) => ts < ledger.foldedBefore);
  const timely = refused.length === 0 ? changes : changes.filter((change) => eventOf(change).ts >= ledger.foldedBefore);
  if (!timely.some((change) => changesLedger(ledger, change)))
    return { written: [], removed: [], previous: new Map(), refused };
  const start = Math.min(...timely.map((change) => groupStart(ledger, eventOf(change))));
  const undone = yield* undoFrom(ledger, start);
  const previous = new Map<string, AppliedEvent>();
  const events = new Map<string, LedgerEvent>();
  for (const [at, applied] of undone.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    previous.set(applied.event.id, applied);
    events.set(applied.event.id, applied.event);
  }
  for (const change of timely) {
    if ('remove' in change) events.delete(change.remove.id);
    else events.set(change.put.id, withFirstReceipt(change.put, events.get(change.put.id)));
  }
  const written: AppliedEvent[] = [];
  const first = ledger.applied.length;
  const changed = new Set(timely.map((change) => eventOf(change).id));
  yield* applyInOrder(ledger, yield* inOrder(undone, events, changed));
  for (let at = first; at < ledger.applied.length; at += 1) {
    if (at % SLICE_EVENTS === 0) yield;
    const applied = ledger.applied[at]!;
    const old = previous.get(applied.event.id);
    if (!old || !isSameApplied(old, applied)) written.push(applied);
  }
  const removed: AppliedEvent[] = [];
  for (const [at, applied] of undone.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    if (!events.has(applied.event.id)) removed.push(applied);
  }
  return { written, removed, previous, refused };
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

function* undoFrom({ books, applied }: Ledger, start: number): Generator<undefined, AppliedEvent[]> {
  const undone = applied.splice(start);
  for (let at = undone.length - 1; at >= 0; at -= 1) {
    if (at % SLICE_EVENTS === 0) yield;
    const { effects } = undone[at]!;
    for (let part = effects.length - 1; part >= 0; part -= 1) undoEffect(books, effects[part]!);
  }
  return undone;
}

/** Sorts events by group. Those that were applied are sorted already, so only the changed ones are, and both are merged. */
function* inOrder(
  undone: readonly AppliedEvent[],
  events: ReadonlyMap<string, LedgerEvent>,
  changed: ReadonlySet<string>,
): Generator<undefined, LedgerEvent[]> {
  const others = [...changed].flatMap((id) => events.get(id) ?? []).sort(compareGroups);
  const sorted: LedgerEvent[] = [];
  let next = 0;
  for (const [at, { event }] of undone.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    // A corrected event may have another place.
    if (changed.has(event.id)) continue;
    while (next < others.length && compareGroups(others[next]!, event) < 0) {
      sorted.push(others[next]!);
      next += 1;
    }
    sorted.push(event);
  }
  for (; next < others.length; next += 1) sorted.push(others[next]!);
  return sorted;
}

/** @param events sorted by group. */
function* applyInOrder(ledger: Ledger, events: readonly LedgerEvent[]): Generator<undefined, void> {
  const { books, applied } = ledger;
  let sliced = 0;
  for (let at = 0; at < events.length; ) {
    if (at - sliced >= SLICE_EVENTS) {
      sliced = at;
      yield;
    }
    let end = at + 1;
    while (end < events.length && compareGroups(events[at]!, events[end]!) === 0) end += 1;
    for (const event of inPositionOrder(books, events.slice(at, end).sort(compareTies)))
      applied.push({ event, effects: applyEvent(books, event) });
    at = end;
  }
}

function inPositionOrder(books: Books, group: readonly LedgerEvent[]): readonly LedgerEvent[] {
  const fills = group.filter((event): event is Fill => event.kind === 'fill' && event.startPosition !== null);
  if (group.length === 1 || fills.length < group.length) return group;
  return chainFills(fills, positionOf(books, fills[0]!.instrument));
}

function withFirstReceipt(event: LedgerEvent, existing: LedgerEvent | undefined): LedgerEvent {
  return existing ? { ...event, receivedAt: existing.receivedAt } : event;
}

function isSameApplied(a: AppliedEvent, b: AppliedEvent): boolean {
  return (
    (a.event === b.event || isSameEvent(a.event, b.event)) &&
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
    a.closes.length === b.closes.length &&
    a.closes.every((part, at) => isSamePart(part, b.closes[at]!))
  );
}

function isSamePart(a: Lot, b: Lot): boolean {
  return a.openedBy === b.openedBy && a.qty === b.qty;
}

/** Runs all slices at once. */
function drain<T>(slices: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}
