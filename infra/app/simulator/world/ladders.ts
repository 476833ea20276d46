import { type Asset, makeCoins } from './coins.ts';
import { STREAM } from './hash.ts';
import { smoothNoise } from './noise.ts';
import { priceAt } from './prices.ts';
import { MINUTE_MS, ORIGIN_MS } from './time.ts';

/** A venue_a market with an unbounded price: a perpetual, a spot pair, or a perpetual of a builder's dex. */
export interface Ladder {
  /** `coin` in the protocol: `BTC`, `@107`, `orb:GOLD`. */
  readonly coin: string;
  readonly kind: 'perp' | 'spot' | 'builder';
  /** Name of the dex of a perpetual; `` is the main one. Null for a spot pair. */
  readonly dex: string | null;
  readonly asset: Asset;
  readonly szDecimals: number;
  /** Most price decimals (venue page, section 2: 6 - szDecimals, spot 8 - szDecimals). */
  readonly maxDecimals: number;
  /** Number of its series of events, and key in hashes. One ladder of an index is listed at any time. */
  readonly index: number;
  /** It trades from this time until the other, unix ms. */
  readonly listedAtMs: number;
  readonly delistedAtMs: number;
  /** Null for a perpetual. */
  readonly spot: SpotListing | null;
}

/** A token of the spot universe. */
export interface SpotToken {
  readonly name: string;
  readonly index: number;
  readonly szDecimals: number;
  readonly weiDecimals: number;
  readonly fullName: string | null;
  readonly isCanonical: boolean;
}

/** A spot pair. `index`, token index and array position are different numbers, as on the venue. */
export interface SpotPair {
  readonly name: string;
  readonly index: number;
  readonly base: number;
  readonly quote: number;
}

/** A spot pair with its base token. */
export interface SpotListing {
  readonly pair: SpotPair;
  readonly base: SpotToken;
}

const token = (
  index: number,
  name: string,
  szDecimals: number,
  weiDecimals: number,
  fullName: string | null = null,
): SpotToken => ({ name, index, szDecimals, weiDecimals, fullName, isCanonical: name === 'USDC' || name === 'PURR' });

/** The tokens of the pairs that are always listed. */
export const SPOT_TOKENS: readonly SpotToken[] = [
  token(0, 'USDC', 8, 8),
  token(1, 'PURR', 0, 5),
  token(150, 'HYPE', 2, 8, 'Hyperliquid'),
  token(197, 'UBTC', 5, 10, 'Unit Bitcoin'),
  token(221, 'UETH', 4, 9, 'Unit Ethereum'),
  token(288, 'HYPE', 2, 8, 'Hype of someone else'),
  token(360, 'USDH', 2, 8, 'Hyperliquid USD'),
];
const SPOT_PAIRS: readonly SpotPair[] = [
  { name: 'PURR/USDC', index: 0, base: 1, quote: 0 },
  { name: '@107', index: 107, base: 150, quote: 0 },
  { name: '@142', index: 142, base: 197, quote: 0 },
  { name: '@151', index: 151, base: 221, quote: 0 },
  // Has the names of @107, since two tokens share a ticker.
  { name: '@64', index: 64, base: 288, quote: 0 },
  { name: '@232', index: 232, base: 150, quote: 360 },
];

/** A dex of a builder, with the assets of its contracts. */
export interface BuilderDex {
  readonly name: string;
  readonly fullName: string;
  /** Key in hashes. */
  readonly key: number;
  /** Those that are always listed. */
  readonly assets: readonly Asset[];
}

const SPOT_ASSETS: Readonly<Record<string, Asset>> = {
  'PURR/USDC': { symbol: 'PURR', name: 'Purr', basePx: 0.12, volatility: 2, weight: 0.05, key: 4001 },
  '@107': { symbol: 'HYPE', name: 'Hyperliquid', basePx: 24, volatility: 1.8, weight: 0.2, key: 15 },
  '@142': { symbol: 'BTC', name: 'Bitcoin', basePx: 62_000, volatility: 1, weight: 0.1, key: 0 },
  '@151': { symbol: 'ETH', name: 'Ethereum', basePx: 2_450, volatility: 1.2, weight: 0.1, key: 1 },
  '@64': { symbol: 'HYPE', name: 'Hype of someone else', basePx: 0.03, volatility: 2, weight: 0.02, key: 4002 },
  '@232': { symbol: 'HYPE', name: 'Hyperliquid', basePx: 24, volatility: 1.8, weight: 0.02, key: 15 },
};
const GOLD: Asset = { symbol: 'GOLD', name: 'Gold', basePx: 2_700, volatility: 0.4, weight: 0.1, key: 4101 };

/** Dexes of builders that always exist: two with a contract of the same symbol, and one without contracts. */
export const BUILDER_DEXES: readonly BuilderDex[] = [
  {
    name: 'orb',
    fullName: 'Orbit Markets',
    key: 0,
    assets: [
      GOLD,
      { symbol: 'OIL', name: 'Crude oil', basePx: 71, volatility: 0.6, weight: 0.05, key: 4102 },
      { symbol: 'NVDA', name: 'NVIDIA', basePx: 140, volatility: 0.8, weight: 0.05, key: 4103 },
    ],
  },
  {
    name: 'lun',
    fullName: 'Lunar Exchange',
    key: 1,
    assets: [
      { ...GOLD, weight: 0.02 },
      { symbol: 'SILVER', name: 'Silver', basePx: 31, volatility: 0.6, weight: 0.02, key: 4104 },
    ],
  },
  { name: 'nova', fullName: 'Nova Perps', key: 2, assets: [] },
];

/** Size decimals by price, so that one unit of size is worth about a cent to a dollar. */
function sizeDecimals(basePx: number): number {
  if (basePx >= 10_000) return 5;
  if (basePx >= 1_000) return 4;
  if (basePx >= 10) return 2;
  return basePx >= 1 ? 1 : 0;
}

/** Completes a ladder. */
export function ladderOf(ladder: Omit<Ladder, 'szDecimals' | 'maxDecimals' | 'index'>, index: number): Ladder {
  const szDecimals = ladder.spot?.base.szDecimals ?? sizeDecimals(ladder.asset.basePx);
  return { ...ladder, szDecimals, maxDecimals: (ladder.spot ? 8 : 6) - szDecimals, index };
}

/** Creates the ladders that are always listed: coins of the main dex, then those of the builders, then the spot pairs. */
export function makePermanentLadders(seed: number, coins: number): readonly Ladder[] {
  const always = { listedAtMs: ORIGIN_MS, delistedAtMs: Number.POSITIVE_INFINITY } as const;
  const perps = makeCoins(seed, coins).map((asset) => {
    return { ...always, coin: asset.symbol, kind: 'perp' as const, dex: '', asset, spot: null };
  });
  const builders = BUILDER_DEXES.flatMap(({ name: dex, assets }) =>
    assets.map((asset) => {
      return { ...always, coin: `${dex}:${asset.symbol}`, kind: 'builder' as const, dex, asset, spot: null };
    }),
  );
  const spots = SPOT_PAIRS.map((pair) => {
    const { name: coin } = pair;
    const base = SPOT_TOKENS.find(({ index }) => index === pair.base)!;
    return { ...always, coin, kind: 'spot' as const, dex: null, asset: SPOT_ASSETS[coin]!, spot: { pair, base } };
  });
  return [...perps, ...builders, ...spots].map(ladderOf);
}

/** Mid price of a ladder in USD: its asset's price with a small basis. */
export function ladderMid(seed: number, ladder: Ladder, atMs: number): number {
  const basis = 0.0003 * smoothNoise(seed, STREAM.basis, ladder.index, atMs / (3 * MINUTE_MS));
  return priceAt(seed, ladder.asset, atMs) * (1 + basis);
}

/** Price decimals at this price: five significant figures, at most as many decimals as the market allows. */
export function priceDecimals(ladder: Ladder, px: number): number {
  // The upper levels of a book are a little above its mid price and must have the same number of digits.
  const leading = Math.floor(Math.log10(px * 1.01));
  return Math.max(0, Math.min(ladder.maxDecimals, 4 - leading));
}
