import { uniformOf } from './hash.ts';

/**
 * Smooth noise from -1 to 1: random values at integers, interpolated by an S-curve. Unlike a random walk it can be
 * computed at any position directly, so the simulator can start at any time.
 *
 * @param position in lattice steps.
 */
export function smoothNoise(seed: number, stream: number, key: number, position: number): number {
  const left = Math.floor(position);
  const along = position - left;
  const weight = along * along * (3 - 2 * along);
  const from = uniformOf(seed, stream, left, key);
  const to = uniformOf(seed, stream, left + 1, key);
  return 2 * (from + (to - from) * weight) - 1;
}
