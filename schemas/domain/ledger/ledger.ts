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
import { compareGroups, compareTies } from './order.ts';

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
  const refused = changes.map(eventOf).filter(({ ts }) => ts < ledger.foldedBefore);
  const timely = refused.length === 0 ? changes : changes.filter((change) => eventOf(change).ts >= ledger.foldedBefore);
  if (!timely.some((change) => changesLedger(ledger, change)))
    return { written: [], removed: [], previous: new Map(), refused };
  const undone = undoFrom(ledger, Math.min(...timely.map((change) => groupStart(ledger, eventOf(change)))));
  const previous = new Map(undone.map((applied) => [applied.event.id, applied]));
  const events = new Map(undone.map(({ event }) => [event.id, event]));
  for (const change of timely) {
    if ('remove' in change) events.delete(change.remove.id);
    else events.set(change.put.id, withFirstReceipt(change.put, events.get(change.put.id)));
  }
  const written: AppliedEvent[] = [];
  for (const applied of applyInOrder(ledger, [...events.values()])) {
    const old = previous.get(applied.event.id);
    if (!old || !isSameApplied(old, applied)) written.push(applied);
  }
  const removed = undone.filter(({ event }) => !events.has(event.id));
  return { written, removed, previous, refused };
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

function findApplied(ledger: Ledger, event: LedgerEvent): AppliedEvent | null {
  const { applied } = ledger;
  for (let at = groupStart(ledger, event); at < applied.length; at += 1) {
    const found = applied[at]!;
    if (compareGroups(found.event, event) !== 0) return null;
    if (found.event.id === event.id) return found;
  }
  return null;
}

/** Returns the position of the first event that is not in a group before that of `event`. */
function groupStart({ applied }: Ledger, event: LedgerEvent): number {
  let low = 0;
  let high = applied.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareGroups(applied[middle]!.event, event) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function undoFrom({ books, applied }: Ledger, start: number): AppliedEvent[] {
  const undone = applied.splice(start);
  for (let at = undone.length - 1; at >= 0; at -= 1) {
    const { effects } = undone[at]!;
    for (let part = effects.length - 1; part >= 0; part -= 1) undoEffect(books, effects[part]!);
  }
  return undone;
}

function applyInOrder(ledger: Ledger, events: LedgerEvent[]): AppliedEvent[] {
  const { books, applied } = ledger;
  const first = applied.length;
  events.sort((a, b) => compareGroups(a, b) || compareTies(a, b));
  for (let at = 0; at < events.length; ) {
    let end = at + 1;
    while (end < events.length && compareGroups(events[at]!, events[end]!) === 0) end += 1;
    for (const event of inPositionOrder(books, events.slice(at, end)))
      applied.push({ event, effects: applyEvent(books, event) });
    at = end;
  }
  return applied.slice(first);
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
