import { type ControlState, initialControlState } from '#schemas/domain/control/state';

/** A followed account. */
export interface FollowedAccount {
  /** Event time of the binding since which it is followed. */
  readonly ledger: number;
}

/** Bounded by what organizations own. */
export interface SeriesState {
  /** State of the reducer at this position of the merged order: which addresses are bound. */
  readonly control: ControlState;
  /** Accounts that a live binding names, by name. */
  readonly followed: Map<string, FollowedAccount>;
}

export const createSeriesState = (): SeriesState => ({ control: initialControlState(), followed: new Map() });
