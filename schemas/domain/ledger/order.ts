/**
 * The order in which events of an account are applied. It depends on the events alone, except that fills of one
 * instrument and millisecond follow their positions (`chain.ts`).
 */
import type { Fill, LedgerEvent } from './events.ts';

/** What happened to the lots comes before the outcome at the same place. */
const RANKS: Readonly<Record<LedgerEvent['kind'], number>> = { fill: 0, split: 1, merge: 1, convert: 1, settle: 2 };

/** What identifies an event and its place; only fills have a place within their instrument. */
export type EventPlace = Pick<LedgerEvent, 'id' | 'kind' | 'at' | 'index'> & Partial<Pick<Fill, 'instrument'>>;

/** Compares the groups of two events. Events of one group have no order of their own, or follow their positions. */
export function compareGroups(a: EventPlace, b: EventPlace): number {
  return (
    a.at - b.at || a.index - b.index || RANKS[a.kind] - RANKS[b.kind] || compareText(instrumentOf(a), instrumentOf(b))
  );
}

/** Compares events within a group without regard to positions. */
export function compareTies(a: LedgerEvent, b: LedgerEvent): number {
  return tieOf(a) - tieOf(b) || compareText(a.id, b.id);
}

function instrumentOf({ kind, instrument = '' }: EventPlace): string {
  return kind === 'fill' ? instrument : '';
}

function tieOf(event: LedgerEvent): number {
  return event.kind === 'fill' ? event.tie : 0;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
