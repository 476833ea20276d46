import { ORIGIN_MS } from '../world/time.ts';

/** A block every two seconds; its number follows from its time. */
export const BLOCK_MS = 2_000;

/** Unix ms of a block. */
export function blockTime(number: number): number {
  return ORIGIN_MS + number * BLOCK_MS;
}

/** The block that holds what happens at a moment: those of the two seconds before it. */
export function blockHolding(atMs: number): number {
  return Math.floor((atMs - ORIGIN_MS) / BLOCK_MS) + 1;
}
