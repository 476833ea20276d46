import { type ControlState, initialControlState } from '#schemas/domain/control/state';

/** Bounded by what organizations own. */
export interface SeriesState {
  /** State of the reducer at this position of the merged order: which addresses are bound. */
  readonly control: ControlState;
  /** Accounts that a live binding names. */
  readonly followed: Set<string>;
}

export const createSeriesState = (): SeriesState => ({ control: initialControlState(), followed: new Set() });
