import type { SimulatedFeed } from '../../simulation.ts';
import { blockTime } from './blocks.ts';
import type { Block, Chain } from './chain.ts';

/** Counts since the start. */
export interface ChainCounts {
  blocks: number;
  logs: number;
  reorgs: number;
}

/** Publishes the blocks of the chain. */
export interface ChainFeed extends SimulatedFeed {
  readonly counts: Readonly<ChainCounts>;
  /** Replaces the newest `depth` blocks as of a time. */
  reorg(depth: number, atMs: number): void;
}

/** @param publish is called with a new block; after a reorganization, with the removed blocks and all that replaced them. */
export function createChainFeed(
  chain: Chain,
  publish: (removed: readonly Block[], added: readonly Block[]) => void,
): ChainFeed {
  const counts: ChainCounts = { blocks: 0, logs: 0, reorgs: 0 };
  return {
    counts,
    endStep(fromMs) {
      const head = chain.headAt(fromMs);
      // A block appears in the step that starts at its time; steps are shorter than blocks.
      if (blockTime(head) !== fromMs) return;
      const reorg = chain.spontaneousReorgAt(head);
      const block = chain.block(head, head);
      counts.blocks += 1;
      counts.logs += block.logs.length;
      if (!reorg) return publish([], [block]);
      counts.reorgs += 1;
      const numbers = Array.from({ length: reorg.to - reorg.from + 1 }, (_, nth) => reorg.from + nth);
      const removed = numbers.map((number) => chain.block(number, head - 1));
      publish(removed, [...numbers.map((number) => chain.block(number, head)), block]);
    },
    reorg(depth, atMs) {
      counts.reorgs += 1;
      const { removed, added } = chain.reorg(depth, chain.headAt(atMs));
      publish(removed, added);
    },
  };
}
