import type { Asset } from './coins.ts';
import { STREAM } from './hash.ts';
import { smoothNoise } from './noise.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

/** Waves whose sum is the price: from slow and large to fast and small ones. */
const WAVES: readonly { readonly periodMs: number; readonly amplitude: number }[] = [
  { periodMs: 7 * DAY_MS, amplitude: 0.05 },
  { periodMs: DAY_MS, amplitude: 0.022 },
  { periodMs: 4 * HOUR_MS, amplitude: 0.01 },
  { periodMs: HOUR_MS, amplitude: 0.005 },
  { periodMs: 10 * MINUTE_MS, amplitude: 0.002 },
  { periodMs: MINUTE_MS, amplitude: 0.0008 },
  { periodMs: 5 * SECOND_MS, amplitude: 0.0002 },
];

/** Price of an asset in USD at a time (unix ms), a function of seed, asset and time. */
export function priceAt(seed: number, asset: Asset, atMs: number): number {
  let sum = 0;
  for (let wave = 0; wave < WAVES.length; wave += 1) {
    const { periodMs, amplitude } = WAVES[wave]!;
    sum += amplitude * smoothNoise(seed, STREAM.price, asset.key * 16 + wave, atMs / periodMs);
  }
  return asset.basePx * Math.exp(sum * asset.volatility);
}

/** Standard deviation of a day's logarithmic return, assumed in question prices. */
const DAILY_DEVIATION = 0.02;

/** Cumulative normal distribution (Abramowitz and Stegun 26.2.17, error below 1e-7). */
function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    Math.exp((-x * x) / 2) *
    0.3989422804014327 *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x >= 0 ? 1 - tail : tail;
}

/** Probability at `atMs` that the asset is at or above `threshold` at `expiryMs`; 0 to 1. */
export function fairProbability(seed: number, asset: Asset, threshold: number, expiryMs: number, atMs: number): number {
  const leftMs = Math.max(expiryMs - atMs, 20 * SECOND_MS);
  const deviation = DAILY_DEVIATION * asset.volatility * Math.sqrt(leftMs / DAY_MS);
  return normal(Math.log(priceAt(seed, asset, atMs) / threshold) / deviation);
}
