import { uniformOf } from './hash.ts';

/**
 * Smooth noise from -1 to 1: random heights at the whole numbers, an S-curve between them. Unlike an accumulated random
 * walk it can be read anywhere at once, which is what lets the simulator start at any time.
 * @param position where to read, in lattice steps
 */
export function smoothNoise(seed: number, stream: number, key: number, position: number): number {
  const left = Math.floor(position);
  const along = position - left;
  const weight = along * along * (3 - 2 * along);
  const from = uniformOf(seed, stream, left, key);
  const to = uniformOf(seed, stream, left + 1, key);
  return 2 * (from + (to - from) * weight) - 1;
}
