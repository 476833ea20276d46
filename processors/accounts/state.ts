import { type ControlState, initialControlState } from '#schemas/domain/control/state';

/** A followed account. */
export interface FollowedAccount {
  /** Event time of the binding since which it is followed. */
  readonly ledger: number;
  /** The mark of its newest snapshot, ms; null before the first one. */
  snapshotHour: number | null;
}

/** The side of an outcome that an account holds; after its settlement the one that it last held. */
export type HeldSide = 0 | 1 | 'both';

/** Which sides of outcomes an account held in its newest acquisition. */
export interface HeldSides {
  readonly receivedAt: number;
  readonly held: ReadonlyMap<number, HeldSide>;
}

/** What snapshots and prices of settled outcomes need (contract, Money: accounts, reads, values). */
export interface AccountsState {
  /** State of the reducer at this position of the merged order: which addresses are bound. */
  readonly control: ControlState;
  /** Accounts that a live binding names, by name; bounded by what organizations own. */
  readonly followed: Map<string, FollowedAccount>;
  /** Payouts of side 0 and side 1 by outcome, those of the newest outcomes (`PAYOUTS_MAX`). */
  readonly payouts: Map<number, readonly string[]>;
  /** By account, the one that was read last at the end. */
  readonly sides: Map<string, HeldSides>;
}

/** Outcomes of venue_a that are settled within months: more than anybody holds unredeemed. */
export const PAYOUTS_MAX = 20_000;
/** For how long the sides of an account are known that is neither followed nor read again: as long as its responses are stored. */
export const SIDES_MS = 86_400_000;
/** Accounts whose sides are known at once. */
export const SIDES_MAX = 200_000;

export const createAccountsState = (): AccountsState => ({
  control: initialControlState(),
  followed: new Map(),
  payouts: new Map(),
  sides: new Map(),
});
