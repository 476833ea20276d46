/**
 * Trades of chains that a reorganization may still remove from their bar. A bar holds them one by one, so that the
 * remaining ones give exactly the bar that they would have given alone.
 *
 * Bound: a trade is held until it is confirmed and `REMOVABLE_BLOCKS` blocks of its venue are above it. No more than
 * `REMOVABLE_MAX` trades are held, the newest ones.
 */
import type { Trade } from '#schemas/topics/normalised';
import { defaultBatchSize } from '../shared/drop-oldest.ts';

/** More blocks than the normaliser of a chain can drop (`RETAINED_HEADERS`), also where block numbers have gaps. */
export const REMOVABLE_BLOCKS = 1_024;
export const REMOVABLE_MAX = 100_000;

/** Where a trade is held. */
export interface HeldTrade {
  /** Key of its instrument (`marketKey`). */
  readonly coin: string;
  /** Start of its bar. */
  readonly openTime: number;
  /** The topic of the trade, whose blocks are counted together. */
  readonly topic: string;
  readonly block: number;
  confirmed: boolean;
}

export interface RemovableTrades {
  /** By id, the oldest first. */
  readonly held: Map<string, HeldTrade>;
  /** The newest block with a trade, by topic. */
  readonly newestBlocks: Map<string, number>;
}

export function createRemovableTrades(): RemovableTrades {
  return { held: new Map(), newestBlocks: new Map() };
}

/** True for a trade that can be reverted: one of a chain. */
export function isRemovable(trade: Trade): trade is Trade & { readonly blockNumber: number } {
  return trade.blockNumber !== null;
}

/** Holds a trade, and passes those that became final to `settle`. */
export function hold(
  trades: RemovableTrades,
  id: string,
  trade: HeldTrade,
  settle: (id: string, trade: HeldTrade) => void,
): void {
  const { topic, block } = trade;
  trades.held.set(id, trade);
  const before = trades.newestBlocks.get(topic) ?? 0;
  const isFull = trades.held.size > REMOVABLE_MAX;
  // To find the first entry, a map skips all that were deleted before it: too much work for every trade.
  if (block <= before && !isFull) return;
  const newest = Math.max(before, block);
  trades.newestBlocks.set(topic, newest);
  const excess = isFull ? defaultBatchSize(REMOVABLE_MAX) : 0;
  let settled = 0;
  for (const [oldest, found] of trades.held) {
    if (settled >= excess && !(found.confirmed && found.block + REMOVABLE_BLOCKS <= newest)) break;
    trades.held.delete(oldest);
    settle(oldest, found);
    settled += 1;
  }
}
