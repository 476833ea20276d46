import { type ControlState, initialControlState } from '#schemas/domain/control/state';

/** A followed account. */
export interface FollowedAccount {
  /** Event time of the binding since which it is followed. */
  readonly ledger: number;
  /** The mark of its newest snapshot, ms; null before the first one. */
  snapshotHour: number | null;
}

/** What snapshots and prices of settled outcomes need (contract, Money: accounts, reads, values). */
export interface AccountsState {
  /** State of the reducer at this position of the merged order: which addresses are bound. */
  readonly control: ControlState;
  /** Accounts that a live binding names, by name; bounded by what organizations own. */
  readonly followed: Map<string, FollowedAccount>;
  /** Payouts of side 0 and side 1 by outcome, those of the newest resolutions (`PAYOUTS_MAX`). */
  readonly payouts: Map<number, readonly string[]>;
  /** The side of each outcome that an account last held, by account; of outcomes in its newest acquisition. */
  readonly sides: Map<string, ReadonlyMap<number, 0 | 1>>;
}

/** Outcomes of venue_a that are settled within a year: more than anybody holds unredeemed. */
export const PAYOUTS_MAX = 20_000;

export const createAccountsState = (): AccountsState => ({
  control: initialControlState(),
  followed: new Map(),
  payouts: new Map(),
  sides: new Map(),
});
