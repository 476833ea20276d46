import type { SlicedPath } from '#infra/stages/sliced-state';
import { yesIndexOf } from '#schemas/domain/linked-markets';
import { marketKey } from '#schemas/domain/providers';
import type { Market } from '#schemas/topics/normalised';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import { createEventMarkets, type EventMarkets } from './event-markets.ts';
import { createSettlements, type Settlements } from './settlements.ts';
import type { Waiting } from './waiting.ts';
import type { EmittedState } from './detect-change.ts';

/**
 * What it takes to tell phases and resolutions to events: part of a stage's state. Bounded by the events that are not
 * past and their markets, and by the numbers that are named.
 */
export interface OracleState {
  readonly events: EventMarkets;
  /** Which token is YES, of the markets where it is not the first and whose event is not past. */
  readonly yesIndexes: Map<string, number>;
  /** What was told of phases, the oldest first; `PHASES_MAX` at most. */
  readonly phases: Map<DisputePhase['id'], EmittedState>;
  readonly settlements: Settlements;
  /** Of markets whose event is not known yet, as are `waitingResolutions`; each map is bounded as `waiting.ts` says. */
  readonly waitingPhases: Waiting<DisputePhase>;
  readonly waitingResolutions: Waiting<Resolution>;
  /** Of markets that have an event but do not ask its question: until they do, or the event is past. */
  readonly unusedResolutions: Waiting<Resolution>;
}

/**
 * What of it grows large, for `slicedMaps`. A resolution or a phase stands in one place alone, and a telling is replaced
 * and never changed, so that nothing goes by identity.
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

/** Takes note of the order of a market's tokens. */
export function updateYesIndex({ yesIndexes }: OracleState, { provider, marketId, outcomes }: Market): void {
  const yes = yesIndexOf(outcomes);
  const key = marketKey(provider, marketId);
  if (yes === 0) yesIndexes.delete(key);
  else yesIndexes.set(key, yes);
}
