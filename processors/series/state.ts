import { type ControlState, initialControlState } from '#schemas/domain/control/state';
import type { LedgerUpdate } from '#schemas/domain/returns/venue-a-flows';

/** A followed account. */
export interface FollowedAccount {
  /** Event time of the binding since which it is followed. */
  readonly ledger: number;
  /** Of venue_a; flows of venue_b are on chain. */
  readonly flows: LoadedFlows | null;
  /** Time of the block after which all flows of an account of venue_b are known, ms; null before. */
  flowsFrom: number | null;
}

/** How far the ledger updates of an account are processed. */
export interface LoadedFlows {
  /** Time of the newest update, ms: the next response begins with it. 0 before the first one. */
  newestAt: number;
  /** Updates of that time that were processed. */
  newestCount: number;
  /** All updates up to this time are processed, ms; 0 before the first complete response. */
  knownThrough: number;
  /** Flows without a price, oldest first; at most `UNPRICED_MAX`. */
  unpriced: readonly UnpricedFlow[];
}

/** A flow that is multiplied with the price of a token when that is known. */
export interface UnpricedFlow {
  readonly id: string;
  readonly ts: number;
  readonly update: LedgerUpdate;
  readonly token: string;
}

/** More rewards than an account gets before their prices are loaded. */
export const UNPRICED_MAX = 1_000;

/** Bounded by what organizations own. */
export interface SeriesState {
  /** State of the reducer at this position of the merged order: which addresses are bound. */
  readonly control: ControlState;
  /** Accounts that a live binding names, by name. */
  readonly followed: Map<string, FollowedAccount>;
  /** The coin of the spot pair of each token with USDC, by name of the token; bounded by what the venue lists. */
  readonly pairs: Map<string, { readonly coin: string; readonly index: number }>;
  /** Accounts with a flow that has no price, by the token's name. */
  readonly wanting: Map<string, Set<string>>;
}

export const createSeriesState = (): SeriesState => ({
  control: initialControlState(),
  followed: new Map(),
  pairs: new Map(),
  wanting: new Map(),
});
