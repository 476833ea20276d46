import { STREAM } from './hash.ts';
import { smoothNoise } from './noise.ts';
import { fairProbability } from './prices.ts';
import type { Question } from './questions.ts';
import { MINUTE_MS, SECOND_MS } from './time.ts';

/** What a venue's traders think of a question at a moment, as the chance of "at or above": strictly between 0 and 1. */
export function quotedProbability(seed: number, question: Question, atMs: number): number {
  const { asset, threshold, expiresAtMs, slot } = question;
  const fair = fairProbability(seed, asset, threshold, expiresAtMs, atMs);
  const stream = slot.venue === 'venue_a' ? STREAM.deviationA : STREAM.deviationB;
  // Two waves per venue: together they now and then drift past spread and fees, which is where arbitrage comes from.
  const slow = 0.024 * smoothNoise(seed, stream, slot.index * 2, atMs / (5 * MINUTE_MS));
  const fast = 0.014 * smoothNoise(seed, stream, slot.index * 2 + 1, atMs / (40 * SECOND_MS));
  const room = Math.max(4 * fair * (1 - fair), 0.1);
  return Math.min(0.996, Math.max(0.004, fair + (slow + fast) * room));
}
