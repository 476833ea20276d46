import type { SlicedPath } from '#infra/stages/sliced-state';
import { yesIndexOf } from '#schemas/domain/linked-markets';
import { marketKey } from '#schemas/domain/providers';
import type { Market } from '#schemas/topics/normalised';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import type { EmittedState } from './detect-change.ts';
import { createEventMarkets, type EventMarkets } from './event-markets.ts';
import { createSettlements, type Settlements } from './settlements.ts';
import type { Waiting } from './waiting.ts';

/**
 * Part of a stage's state, with which phases and resolutions are assigned to events. Bounded by the events that are not
 * archived and their markets, and by the named maximums.
 */
export interface OracleState {
  readonly events: EventMarkets;
  /** Index of the YES token, for markets where it is not the first and whose event is not archived. */
  readonly yesIndexes: Map<string, number>;
  /** Emitted phases, the oldest first; at most `PHASES_MAX`. */
  readonly phases: Map<DisputePhase['id'], EmittedState>;
  readonly settlements: Settlements;
  /** Phases of markets whose event is not known yet; each waiting map is bounded as described in `waiting.ts`. */
  readonly waitingPhases: Waiting<DisputePhase>;
  /** Resolutions of markets whose event is not known yet. */
  readonly waitingResolutions: Waiting<Resolution>;
  /** Resolutions of markets whose link is not used, until it is or the event is archived. */
  readonly unusedResolutions: Waiting<Resolution>;
}

/**
 * The parts that grow large, for `slicedMaps`. A resolution or a phase is in one of the maps only, and an entry is
 * replaced and never mutated, so nothing depends on object identity.
 */
export const ORACLE_SLICES = [
  'events.survivors',
  'events.absorbed',
  'events.eventOf',
  'events.marketsOf',
  'events.inverse',
  'events.unused',
  'yesIndexes',
  'phases',
  'settlements.settledBy',
  'settlements.unconfirmed',
  'settlements.candidates',
  'waitingPhases',
  'waitingResolutions',
  'unusedResolutions',
] as const satisfies readonly SlicedPath<OracleState>[];

export function createOracleState(): OracleState {
  return {
    events: createEventMarkets(),
    yesIndexes: new Map(),
    phases: new Map(),
    settlements: createSettlements(),
    waitingPhases: new Map(),
    waitingResolutions: new Map(),
    unusedResolutions: new Map(),
  };
}

/** Stores which of a market's tokens is YES. */
export function updateYesIndex({ yesIndexes }: OracleState, { provider, marketId, outcomes }: Market): void {
  const yes = yesIndexOf(outcomes);
  const key = marketKey(provider, marketId);
  if (yes === 0) yesIndexes.delete(key);
  else yesIndexes.set(key, yes);
}
