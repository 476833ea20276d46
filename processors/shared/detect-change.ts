/**
 * Detects changes in repeated records of something that a chain may revert. It is emitted once, its reversal once, and
 * again when it is included again after that. A confirmation changes nothing (contract, REST, Trades).
 */

import { dropOldest } from './drop-oldest.ts';

/** What was emitted of an item whose record may come again. */
export interface EmittedState {
  readonly reverted: boolean;
  /** The market whose event it was emitted to last; null if it was not emitted to an event. */
  readonly market: string | null;
}

/** A record of an item, as it arrives. */
export interface Observation {
  readonly id: string;
  readonly status: 'pending' | 'confirmed' | 'reverted';
  /** Its market if the market's event is known, else null. */
  readonly market: string | null;
  /** True if no later record can change anything. */
  readonly isFinal: boolean;
}

export interface Change {
  /** True if the item is new, reverted, or included again: it concerns every subscriber. */
  readonly isNew: boolean;
  /** True if it concerns its event: for the same reason, or because its market became known or changed. */
  readonly toEvent: boolean;
}

/** Compares a record with what was emitted of its item, and stores it in `emitted`, bounded to the newest `max`. */
export function detectChange(
  emitted: Map<string, EmittedState>,
  { id, status, market, isFinal }: Observation,
  max: number,
): Change {
  const known = emitted.get(id);
  const reverted = status === 'reverted';
  const isNew = known === undefined || known.reverted !== reverted;
  // A reversal goes where the item went; an item that was never emitted to an event is not reverted there.
  const isNewThere = isNew ? !(reverted && known?.market === null) : known.market !== market && !reverted;
  const toEvent = market !== null && isNewThere;
  emitted.delete(id);
  if (isFinal) return { isNew, toEvent };
  emitted.set(id, { reverted, market: toEvent ? market : (known?.market ?? null) });
  dropOldest(emitted, max);
  return { isNew, toEvent };
}
