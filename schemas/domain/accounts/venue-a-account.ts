/** Reads what the responses of one acquisition state about an account of venue_a (venue page, section 3.2). */
import { type Decimal, parseDecimal, ZERO } from '../decimal.ts';
import {
  FieldError,
  optionalField,
  readAmount,
  readDecimal,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '../json-fields.ts';

/** Modes in which each dex has equity of its own, beside the spot balances. */
const STANDARD_MODES = ['default', 'disabled', 'dexAbstraction'] as const;
/** Modes in which the spot balances are all equity, also that of the perpetuals. */
const UNIFIED_MODES = ['unifiedAccount', 'portfolioMargin'] as const;
export const ACCOUNT_MODES = [...STANDARD_MODES, ...UNIFIED_MODES] as const;
export type AccountMode = (typeof ACCOUNT_MODES)[number];

export const isUnified = (mode: AccountMode): boolean => (UNIFIED_MODES as readonly string[]).includes(mode);

/** The parsed responses about one account. */
export interface VenueAResponses {
  readonly userAbstraction: unknown;
  /** `clearinghouseState` of each dex; the main one is ``. */
  readonly clearinghouseStates: ReadonlyMap<string, unknown>;
  readonly spotClearinghouseState: unknown;
  readonly userVaultEquities: unknown;
  readonly delegatorSummary: unknown;
}

/** The perpetuals of one dex, in its collateral token. */
export interface DexState {
  readonly dex: string;
  readonly accountValue: Decimal;
  readonly withdrawable: Decimal;
  readonly marginUsed: Decimal;
  /** Sum over the positions. */
  readonly unrealizedPnl: Decimal;
}

export interface SpotBalance {
  /** Name of a token; `+E` for a side of a live outcome, `oN` for a settled outcome. */
  readonly coin: string;
  /** Index of the token; null where the venue states none, as for outcomes. */
  readonly token: number | null;
  /** Negative for a borrowed token. */
  readonly total: Decimal;
  readonly hold: Decimal;
}

export interface VenueAAccount {
  readonly mode: AccountMode;
  readonly dexes: readonly DexState[];
  readonly balances: readonly SpotBalance[];
  /** USD in vaults. */
  readonly vaultUsd: Decimal;
  /** HYPE that is delegated, undelegated or on its way out. */
  readonly staked: Decimal;
  /** The oldest `time` of the dexes, unix ms; null if none states one. */
  readonly time: number | null;
}

/** Throws a `FieldError` if a response lacks a figure or has another shape, or the mode is unknown. */
export function readVenueAAccount(responses: VenueAResponses): VenueAAccount {
  const states = [...responses.clearinghouseStates];
  if (!responses.clearinghouseStates.has('')) throw new FieldError('clearinghouseState', 'the main dex', undefined);
  const dexes = states.map(([dex, state]) => readDexState(dex, state));
  const times = states.flatMap(([, state]) => readTime(state));
  return {
    mode: readMode(responses.userAbstraction),
    dexes,
    balances: readBalances(responses.spotClearinghouseState),
    vaultUsd: readVaults(responses.userVaultEquities),
    staked: readStaked(responses.delegatorSummary),
    time: times.length === 0 ? null : Math.min(...times),
  };
}

function readMode(value: unknown): AccountMode {
  const mode = ACCOUNT_MODES.find((known) => known === value);
  if (mode === undefined) throw new FieldError('userAbstraction', `one of ${ACCOUNT_MODES.join(', ')}`, value);
  return mode;
}

function readTime(value: unknown): number[] {
  const time = optionalField(readObject(value, 'clearinghouseState'), 'time', readInteger);
  return time === undefined ? [] : [time];
}

function readDexState(dex: string, value: unknown): DexState {
  try {
    const state = readObject(value, 'state');
    const summary = readObject(state.marginSummary, 'marginSummary');
    const positions = readList(state.assetPositions, 'assetPositions').map((entry, at) => {
      const place = `assetPositions[${at}]`;
      const { position } = readObject(entry, place);
      const { unrealizedPnl } = readObject(position, `${place}.position`);
      return parseDecimal(readDecimal(unrealizedPnl, `${place}.position.unrealizedPnl`));
    });
    return {
      dex,
      accountValue: parseDecimal(readDecimal(summary.accountValue, 'marginSummary.accountValue')),
      marginUsed: parseDecimal(readDecimal(summary.totalMarginUsed, 'marginSummary.totalMarginUsed')),
      withdrawable: parseDecimal(readDecimal(state.withdrawable, 'withdrawable')),
      unrealizedPnl: sumOf(positions),
    };
  } catch (error) {
    throw withPath(error, `clearinghouseState of ${dex === '' ? 'the main dex' : dex}`);
  }
}

function readBalances(value: unknown): SpotBalance[] {
  const { balances } = readObject(value, 'spotClearinghouseState');
  return readList(balances, 'spotClearinghouseState.balances').map((entry, at) => {
    const place = `spotClearinghouseState.balances[${at}]`;
    const balance = readObject(entry, place);
    try {
      return {
        coin: readText(balance.coin, 'coin'),
        token: optionalField(balance, 'token', readInteger) ?? null,
        total: parseDecimal(readDecimal(balance.total, 'total')),
        hold: parseDecimal(readDecimal(balance.hold, 'hold')),
      };
    } catch (error) {
      throw withPath(error, place);
    }
  });
}

function readVaults(value: unknown): Decimal {
  return sumOf(
    readList(value, 'userVaultEquities').map((entry, at) => {
      const place = `userVaultEquities[${at}]`;
      return parseDecimal(readDecimal(readObject(entry, place).equity, `${place}.equity`));
    }),
  );
}

function readStaked(value: unknown): Decimal {
  const summary = readObject(value, 'delegatorSummary');
  const parts = ['delegated', 'undelegated', 'totalPendingWithdrawal'] as const;
  return sumOf(parts.map((part) => parseDecimal(readAmount(summary[part], `delegatorSummary.${part}`))));
}

export function sumOf(values: readonly Decimal[]): Decimal {
  return values.reduce<bigint>((sum, value) => sum + value, ZERO) as Decimal;
}
