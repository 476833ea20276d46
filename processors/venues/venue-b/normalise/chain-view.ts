/**
 * The newest blocks of the chain according to its headers, and which blocks a reorganization drops. Numbers may have
 * gaps: nodes need not send the header of a block without our logs. A gap is no reorganization. A header that is not
 * above the head is one, and so is a header whose parent differs from the block stored directly below it.
 */

import { MalformedError } from '../../shared/malformed.ts';
import type { ChainLog, Header } from './chain-message.ts';

/** Headers stored beside those of unconfirmed records: deeper than any reorganization seen on this chain. */
export const RETAINED_HEADERS = 256;

export interface ChainBlock {
  readonly number: number;
  readonly hash: string;
  /** Block time, unix ms. */
  readonly timestampMs: number;
  /** Ids of the trades emitted from this block, in order of emission. */
  readonly tradeIds: string[];
  /** Ids of the dispute phases and resolutions emitted from this block, in order of emission. */
  readonly settlementIds: string[];
  /** Ids of the position moves emitted from this block, in order of emission. */
  readonly moveIds: string[];
  /** Ids of the changes of collateral emitted from this block, in order of emission. */
  readonly collateralIds: string[];
}

export interface ChainView {
  /** Number of the newest header; -1 before the first. */
  head: number;
  /** Number up to which the node reported the chain as finalized; -1 before the first report. */
  finalized: number;
  /** Hash of the newest block that was emitted as followed; null before the first. */
  followed: string | null;
  /** Stored blocks by number, ascending. */
  readonly blocks: Map<number, ChainBlock>;
  /** Numbers of the stored blocks with records that are not confirmed yet. */
  readonly unconfirmed: Set<number>;
}

export function createChainView(): ChainView {
  return { head: -1, finalized: -1, followed: null, blocks: new Map(), unconfirmed: new Set() };
}

/**
 * Adds a header and returns the blocks that it drops, newest first. A header that is stored already changes nothing.
 * Throws `MalformedError` (`stale_header`) for one below all stored blocks: it would drop the complete view, and no
 * reorganization is that deep.
 */
export function acceptHeader(chain: ChainView, header: Header): ChainBlock[] {
  if (chain.blocks.get(header.number)?.hash === header.hash) return [];
  const [oldest] = chain.blocks.keys();
  if (oldest !== undefined && header.number < oldest && chain.blocks.size >= RETAINED_HEADERS) {
    throw new MalformedError('stale_header', `block ${header.number} is below block ${oldest}, the oldest one stored`);
  }
  const dropped = header.number <= chain.head ? dropFrom(chain, header.number) : [];
  const below = chain.blocks.get(header.number - 1);
  if (below && below.hash !== header.parentHash) dropped.push(...dropFrom(chain, below.number));
  const { number, hash, timestampMs } = header;
  chain.blocks.set(number, {
    number,
    hash,
    timestampMs,
    tradeIds: [],
    settlementIds: [],
    moveIds: [],
    collateralIds: [],
  });
  chain.head = number;
  return dropped;
}

/** Returns the block of a log. Throws for a block that is not in the view: its records could not be reverted later. */
export function blockOfLog(chain: ChainView, log: ChainLog): ChainBlock {
  const block = chain.blocks.get(log.blockNumber);
  if (block?.hash === log.blockHash) return block;
  const found = block
    ? `the stored block ${log.blockNumber} is ${block.hash}`
    : `block ${log.blockNumber} is not stored`;
  throw new MalformedError('log_of_unknown_block', `${found}; the log belongs to ${log.blockHash}`);
}

/** True if the block is deep enough, or finalized, so that its records are confirmed. */
export function isConfirmed(chain: ChainView, number: number, confirmations: number): boolean {
  return chain.head >= number + confirmations || chain.finalized >= number;
}

/** Removes the oldest blocks beyond `RETAINED_HEADERS`, except those with unconfirmed records, and returns them. */
export function trimBlocks(chain: ChainView): ChainBlock[] {
  const trimmed: ChainBlock[] = [];
  for (const block of chain.blocks.values()) {
    if (chain.blocks.size <= RETAINED_HEADERS) break;
    if (chain.unconfirmed.has(block.number)) continue;
    chain.blocks.delete(block.number);
    trimmed.push(block);
  }
  return trimmed;
}

function dropFrom(chain: ChainView, number: number): ChainBlock[] {
  const dropped = [...chain.blocks.values()].filter((block) => block.number >= number).reverse();
  for (const block of dropped) {
    chain.blocks.delete(block.number);
    chain.unconfirmed.delete(block.number);
  }
  return dropped;
}
