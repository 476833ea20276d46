import { type ControlState, initialControlState } from '#schemas/domain/control/state';
import type { Ledger } from '#schemas/domain/ledger/ledger';
import type { PositionMove } from '#schemas/topics/normalised';
import type { Resolution } from '#schemas/topics/oracle';
import { accountName } from '#schemas/venues/accounts';
import type { NewestArrivals } from '../shared/new-arrivals.ts';
import type { FillLoad } from './fill-load.ts';
import type { FillCopy } from './merge-copies.ts';
import { createRecordedTrades, type RecordedTrades } from './recorded-trades.ts';

/** Venue time for which a ledger retains its events, so that late ones can change them. */
export const RETAINED_MS = 32 * 86_400_000;

export interface AccountLedger {
  /** Event time of the binding with which it began. */
  readonly startedAt: number;
  readonly ledger: Ledger;
}

/** A fill of venue_a in a ledger. */
export interface StoredFill {
  /** What its sources state. */
  readonly copies: readonly FillCopy[];
  /** When it reached the ledger, unix ms. */
  readonly receivedAt: number;
}

/** A daily file of a registered builder of venue_a. Its rows count once all of them have arrived. */
export interface BuilderFileRows {
  readonly builder: string;
  /** The day of the file: its start, unix ms. */
  readonly day: number;
  /** Which file of the day: when it was received, unix ms. */
  readonly fileAt: number;
  /** How many rows the file has; null until the record of its day arrives. */
  rowsMax: number | null;
  /** How many of them have arrived. */
  seen: number;
  /** How many of them have each key (`rowKey`), by name of an account that was followed then. */
  readonly rowsOfKeys: RowsOfKeys;
  /** The same of the file that this one replaces, until all of its own rows have arrived. */
  replaced: RowsOfKeys;
}

type RowsOfKeys = Map<string, Map<string, number>>;

/** How the positions of a ledger of venue_b compare with those of the venue. */
export interface LedgerChecks {
  /** When the ledger last changed, unix ms; null if it was compared later than the venue's lag. */
  changedAt: number | null;
  /** When the ledger was last compared, unix ms; null before. */
  checkedAt: number | null;
  /** The tokens of the ledger, until they are settled for `RETAINED_MS`, and those that it lacks and the venue states. */
  readonly tokens: Map<string, TokenCheck>;
}

interface TokenCheck {
  /** Null before the first comparison. */
  isEqual: boolean | null;
  /** True if it differs in this alone: the venue would redeem the token, and the ledger has not settled it. */
  lacksSettlement: boolean;
  readonly isSettled: boolean;
}

/** Bounded by what organizations own, by what their accounts trade, and by the catalog. */
export interface LedgersState {
  /** State of the reducer at this position of the merged order: which addresses are bound. */
  readonly control: ControlState;
  /** Newest processed `arrival` of each partition of trades, by topic. */
  readonly arrivals: NewestArrivals;
  /** By name of the account. Each has its open lots and the events of `RETAINED_MS`. */
  readonly accounts: Map<string, AccountLedger>;
  /** How far the fills of the accounts of venue_a are loaded, by name of the account. */
  readonly fillLoads: Map<string, FillLoad>;
  /** Since when every trade of venue_a has been recorded. */
  readonly recordedTrades: RecordedTrades;
  /** Fills of the accounts of venue_a that their ledgers retain, by name of the account and id. */
  readonly fills: Map<string, Map<string, StoredFill>>;
  /** Files of the last `RETAINED_MS`, by `builderDayKey`. */
  readonly builderFiles: Map<string, BuilderFileRows>;
  /** Name of the base token of each spot pair of venue_a, by coin. */
  readonly baseTokens: Map<string, string>;
  /** What comparisons with the venue showed, by name of the account of venue_b. */
  readonly checks: Map<string, LedgerChecks>;
  /** Names of accounts whose ledger has or once contained events of an instrument, until it is settled for `RETAINED_MS`. */
  readonly holders: Map<string, Set<string>>;
  /** Instruments of each market of the catalog, in its order. */
  readonly instruments: Map<string, readonly string[]>;
  /** Moves of followed accounts whose markets the catalog does not list yet, by id, oldest first. */
  readonly waitingMoves: Map<string, PositionMove>;
  /** Valid resolutions by market, those of the last `RETAINED_MS`. */
  readonly resolutions: Map<string, Resolution>;
}

/** Returns the name of the account of an address of venue_b; null if it is not followed. */
export function followedName({ control, accounts }: LedgersState, address: string): string | null {
  // Nearly no address of a trade is bound, and looking for one takes less time than putting a name together.
  if (!control.walletsByAddress.has(address)) return null;
  const account = accountName('venue_b', address);
  return accounts.has(account) ? account : null;
}

export function createLedgersState(): LedgersState {
  return {
    control: initialControlState(),
    arrivals: new Map(),
    accounts: new Map(),
    fillLoads: new Map(),
    recordedTrades: createRecordedTrades(),
    fills: new Map(),
    builderFiles: new Map(),
    baseTokens: new Map(),
    checks: new Map(),
    holders: new Map(),
    instruments: new Map(),
    waitingMoves: new Map(),
    resolutions: new Map(),
  };
}
