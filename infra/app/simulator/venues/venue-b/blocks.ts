import { ORIGIN_MS } from '../../world/time.ts';

/** Block interval. The number of a block follows from its time. */
export const BLOCK_MS = 2_000;

/** Time of a block, unix ms. */
export function blockTime(number: number): number {
  return ORIGIN_MS + number * BLOCK_MS;
}

/** Number of the block that contains a transaction at this time: a block contains the two seconds before it. */
export function blockHolding(atMs: number): number {
  return Math.floor((atMs - ORIGIN_MS) / BLOCK_MS) + 1;
}
