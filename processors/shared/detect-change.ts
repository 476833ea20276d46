/**
 * What is new in a telling of something that a chain may take back: one telling tells it, one its reversal, and it is
 * told anew when it is included again after that. That it was confirmed is no news (contract, REST, Trades).
 */

import { dropOldest } from './drop-oldest.ts';

/** What was told of a thing that may be told again. */
export interface EmittedState {
  readonly reverted: boolean;
  /** The market whose event had it last; null while none had. */
  readonly market: string | null;
}

/** A telling of a thing. */
export interface Observation {
  readonly id: string;
  readonly status: 'pending' | 'confirmed' | 'reverted';
  /** Its market, where the event of that is known; else null. */
  readonly market: string | null;
  /** Whether there is nothing left that a later telling could change. */
  readonly isFinal: boolean;
}

export interface Change {
  /** To everybody: it is new, reverted, or included again. */
  readonly isNew: boolean;
  /** To its event: the same, or its market became known, or another. */
  readonly toEvent: boolean;
}

/** Compares a telling with what was told, and remembers it: at most `max` things, the newest. */
export function detectChange(emitted: Map<string, EmittedState>, { id, status, market, isFinal }: Observation, max: number): Change {
  const known = emitted.get(id);
  const reverted = status === 'reverted';
  const isNew = known === undefined || known.reverted !== reverted;
  // A reversal is told where the thing was; what was never told to an event is not taken back there.
  const isNewThere = isNew ? !(reverted && known?.market === null) : known.market !== market && !reverted;
  const toEvent = market !== null && isNewThere;
  emitted.delete(id);
  if (isFinal) return { isNew, toEvent };
  emitted.set(id, { reverted, market: toEvent ? market : (known?.market ?? null) });
  dropOldest(emitted, max);
  return { isNew, toEvent };
}
