/** Responses about an account of venue_a, as the venue writes them. */
import { type Decimal, parseDecimal } from '../decimal.ts';
import type { VenueAResponses } from './venue-a-account.ts';
import type { VenueAPrices } from './venue-a-value.ts';

export interface DexFigures {
  readonly accountValue?: string;
  readonly withdrawable?: string;
  readonly marginUsed?: string;
  readonly pnl?: readonly string[];
  readonly time?: number;
}

export interface BalanceFigures {
  readonly coin: string;
  readonly token?: number;
  readonly total: string;
  readonly hold?: string;
}

export interface AccountFigures {
  readonly mode?: string;
  readonly dexes?: Readonly<Record<string, DexFigures>>;
  readonly balances?: readonly BalanceFigures[];
  readonly vaults?: readonly string[];
  readonly staked?: { readonly delegated?: string; readonly undelegated?: string; readonly pending?: string };
}

export function clearinghouseState({ accountValue = '0.0', ...figures }: DexFigures): object {
  const { withdrawable = '0.0', marginUsed = '0.0', pnl = [], time } = figures;
  return {
    marginSummary: { accountValue, totalNtlPos: '0.0', totalRawUsd: '0.0', totalMarginUsed: marginUsed },
    withdrawable,
    assetPositions: pnl.map((unrealizedPnl) => ({ type: 'oneWay', position: { coin: 'BTC', unrealizedPnl } })),
    ...(time === undefined ? {} : { time }),
  };
}

export function accountResponses(figures: AccountFigures): VenueAResponses {
  const { mode = 'default', dexes = {}, balances = [], vaults = [], staked = {} } = figures;
  return {
    userAbstraction: mode,
    clearinghouseStates: new Map(
      Object.entries({ '': {}, ...dexes }).map(([dex, state]) => [dex, clearinghouseState(state)]),
    ),
    spotClearinghouseState: { balances: balances.map((balance) => ({ hold: '0.0', entryNtl: '0.0', ...balance })) },
    userVaultEquities: vaults.map((equity) => ({ vaultAddress: '0x', equity, lockedUntilTimestamp: 1 })),
    delegatorSummary: {
      delegated: staked.delegated ?? '0.0',
      undelegated: staked.undelegated ?? '0.0',
      totalPendingWithdrawal: staked.pending ?? '0.0',
      nPendingWithdrawals: 0,
    },
  };
}

export function accountPrices(prices: Readonly<Record<string, string>>, collateral: Record<string, number> = {}) {
  return {
    collateralTokens: new Map(Object.entries({ '': 0, ...collateral })),
    prices: new Map(
      Object.entries({ '0': '1', ...prices }).map(([key, price]) => [key, parseDecimal(price) as Decimal]),
    ),
  } satisfies VenueAPrices;
}
