/** The value of an account of venue_a in each mode (venue page, section 6; contract, Money: accounts, reads, values). */
import { type Decimal, multiply, ZERO } from '../decimal.ts';
import { HYPE_TOKEN, priceKey } from './price-key.ts';
import {
  type AccountMode,
  type DexState,
  isUnified,
  type SpotBalance,
  sumOf,
  type VenueAAccount,
} from './venue-a-account.ts';

export const BUCKET_KINDS = ['perp', 'spot', 'vault', 'staking'] as const;
export type BucketKind = (typeof BUCKET_KINDS)[number];

/** What an account is worth, in USD. The buckets sum to `valueUsd`. */
export interface VenueAValue {
  readonly mode: AccountMode;
  readonly valueUsd: Decimal;
  readonly availableUsd: Decimal;
  readonly unrealizedPnlUsd: Decimal;
  readonly buckets: Readonly<Record<BucketKind, Decimal>>;
  readonly spotBalances: readonly { coin: string; total: Decimal; hold: Decimal; usd: Decimal }[];
  readonly perpByDex: readonly { dex: string; accountValueUsd: Decimal; unrealizedPnlUsd: Decimal }[];
}

export type VenueAValuation =
  | { readonly value: VenueAValue }
  /** Something that is not zero has no price: the coin of an outcome, the index of a token, or the collateral of a dex whose token is unknown. */
  | { readonly value: null; readonly unpriced: string };

/** What the valuation multiplies with. */
export interface VenueAPrices {
  /** Index of the collateral token of each dex; one that is unknown is missing. */
  readonly collateralTokens: ReadonlyMap<string, number>;
  /** USD of one token, by `priceKey`; one without a price is missing. */
  readonly prices: ReadonlyMap<string, Decimal>;
}

/** Thrown inside the calculation only. */
class Unpriced extends Error {}

/** Every product is rounded half to even at 18 decimals; sums are exact. */
export function valueVenueAAccount(account: VenueAAccount, prices: VenueAPrices): VenueAValuation {
  try {
    return { value: calculate(account, prices) };
  } catch (error) {
    if (error instanceof Unpriced) return { value: null, unpriced: error.message };
    throw error;
  }
}

function calculate(account: VenueAAccount, { collateralTokens, prices }: VenueAPrices): VenueAValue {
  const { mode, balances, vaultUsd, staked } = account;
  const usdOf = (amount: Decimal, key: string): Decimal => {
    // What is zero is worth nothing at any price.
    if (amount === ZERO) return ZERO;
    const price = prices.get(key);
    if (price === undefined) throw new Unpriced(key);
    return multiply(amount, price);
  };
  const tokenUsd: TokenUsd = (token, amount) => usdOf(amount, token === null ? UNKNOWN_COLLATERAL : String(token));
  const dexes = account.dexes.map((state) => ({ ...state, token: collateralTokens.get(state.dex) ?? null }));
  const spotBalances = balances.map(({ coin, token, total, hold }) => ({
    coin,
    total,
    hold,
    usd: usdOf(total, priceKey({ coin, token })),
  }));
  const spotUsd = sumOf(spotBalances.map(({ usd }) => usd));
  const perp = isUnified(mode) ? unifiedPerp(dexes, balances, tokenUsd) : standardPerp(dexes, tokenUsd);
  const buckets = {
    perp: perp.usd,
    spot: isUnified(mode) ? ((spotUsd - perp.usd) as Decimal) : spotUsd,
    vault: vaultUsd,
    staking: tokenUsd(HYPE_TOKEN, staked),
  };
  const perpByDex = dexes.map(({ dex, token, accountValue, unrealizedPnl }) => ({
    dex,
    accountValueUsd: tokenUsd(token, accountValue),
    unrealizedPnlUsd: tokenUsd(token, unrealizedPnl),
  }));
  return {
    mode,
    valueUsd: sumOf(Object.values(buckets)),
    availableUsd: perp.availableUsd,
    unrealizedPnlUsd: sumOf(perpByDex.map(({ unrealizedPnlUsd }) => unrealizedPnlUsd)),
    buckets,
    spotBalances,
    perpByDex,
  };
}

/** A dex with its collateral token; null if that is unknown. */
type PricedDex = DexState & { readonly token: number | null };
type TokenUsd = (token: number | null, amount: Decimal) => Decimal;

/** Stands for a token that is unknown and therefore has no price. */
const UNKNOWN_COLLATERAL = 'the collateral of a dex';

interface PerpPart {
  readonly usd: Decimal;
  readonly availableUsd: Decimal;
}

function standardPerp(dexes: readonly PricedDex[], tokenUsd: TokenUsd): PerpPart {
  return {
    usd: sumOf(dexes.map(({ token, accountValue }) => tokenUsd(token, accountValue))),
    availableUsd: sumOf(dexes.map(({ token, withdrawable }) => tokenUsd(token, withdrawable))),
  };
}

/** The perpetuals' part of the spot balances: per collateral token the used margin, between 0 and the balance. */
function unifiedPerp(dexes: readonly PricedDex[], balances: readonly SpotBalance[], tokenUsd: TokenUsd): PerpPart {
  const parts = [...new Set(dexes.map(({ token }) => token))].map((token) => {
    const own = token === null ? [] : balances.filter((balance) => balance.token === token);
    const total = sumOf(own.map((balance) => balance.total));
    const hold = sumOf(own.map((balance) => balance.hold));
    const margin = sumOf(dexes.filter((dex) => dex.token === token).map(({ marginUsed }) => marginUsed));
    return {
      // Without the token it is unknown which balance is the margin's.
      usd: tokenUsd(token, token === null ? margin : larger(ZERO, smaller(margin, total))),
      freeUsd: tokenUsd(token, (total - hold) as Decimal),
    };
  });
  return {
    usd: sumOf(parts.map(({ usd }) => usd)),
    availableUsd: larger(ZERO, sumOf(parts.map(({ freeUsd }) => freeUsd))),
  };
}

const smaller = (a: Decimal, b: Decimal): Decimal => (b < a ? b : a);
const larger = (a: Decimal, b: Decimal): Decimal => (a > b ? a : b);
