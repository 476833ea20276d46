/** What prices of settled outcomes need (contract, Money: accounts, reads, values). */
export interface AccountsState {
  /** Payouts of side 0 and side 1 by outcome, those of the newest resolutions (`PAYOUTS_MAX`). */
  readonly payouts: Map<number, readonly string[]>;
  /** The side of each outcome that an account last held, by account; of outcomes in its newest acquisition. */
  readonly sides: Map<string, ReadonlyMap<number, 0 | 1>>;
}

/** Outcomes of venue_a that are settled within a year: more than anybody holds unredeemed. */
export const PAYOUTS_MAX = 20_000;

export const createAccountsState = (): AccountsState => ({ payouts: new Map(), sides: new Map() });
