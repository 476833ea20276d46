import { STREAM } from './hash.ts';
import { smoothNoise } from './noise.ts';
import { fairProbability } from './prices.ts';
import type { Question } from './questions.ts';
import { MINUTE_MS, SECOND_MS } from './time.ts';

/** Price of "at or above" that a venue quotes at a time, strictly between 0 and 1. */
export function quotedProbability(seed: number, question: Question, atMs: number): number {
  const { asset, threshold, expiresAtMs, slot } = question;
  const fair = fairProbability(seed, asset, threshold, expiresAtMs, atMs);
  const stream = slot.venue === 'venue_a' ? STREAM.deviationA : STREAM.deviationB;
  // Two waves per venue. Their difference sometimes exceeds spread and fees, which creates arbitrage.
  const slow = 0.024 * smoothNoise(seed, stream, slot.index * 2, atMs / (5 * MINUTE_MS));
  const fast = 0.014 * smoothNoise(seed, stream, slot.index * 2 + 1, atMs / (40 * SECOND_MS));
  const room = Math.max(4 * fair * (1 - fair), 0.1);
  return Math.min(0.996, Math.max(0.004, fair + (slow + fast) * room));
}
