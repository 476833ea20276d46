/**
 * The newest part of the chain as its headers tell it, and what they take back. Numbers may have gaps: a block without
 * our logs need not be told. A gap is no reorganisation; a header not above the head is, and so is a header whose
 * parent is another block than the one kept directly below it.
 */
import type { ChainLog, Header } from './chain-message.ts';
import { MalformedError } from './malformed-error.ts';

/** Headers kept beside those that unconfirmed records need: deeper than any reorganisation seen on this chain. */
export const KEPT_HEADERS = 256;

export interface ChainBlock {
  readonly number: number;
  readonly hash: string;
  /** Block time, unix ms. */
  readonly timestampMs: number;
  /** Ids of the trades told from this block, in the order told. */
  readonly tradeIds: string[];
  /** Ids of the oracle's steps and of the resolutions told from this block, in the order told. */
  readonly settlementIds: string[];
}

export interface ChainView {
  /** Number of the newest header; -1 before the first. */
  head: number;
  /** Number up to which the node calls the chain finalized; -1 when it has told none. */
  finalized: number;
  /** Kept blocks by number, ascending. */
  readonly blocks: Map<number, ChainBlock>;
  /** Numbers of the kept blocks that hold records not yet confirmed. */
  readonly unconfirmed: Set<number>;
}

export function createChainView(): ChainView {
  return { head: -1, finalized: -1, blocks: new Map(), unconfirmed: new Set() };
}

/**
 * Takes a header in and returns the blocks that it drops, newest first. A header that is kept already changes nothing.
 * Throws `MalformedError` (`stale_header`) for one below everything kept: it would drop the whole view, and no
 * reorganisation is that deep.
 */
export function acceptHeader(chain: ChainView, header: Header): ChainBlock[] {
  if (chain.blocks.get(header.number)?.hash === header.hash) return [];
  const [oldest] = chain.blocks.keys();
  if (oldest !== undefined && header.number < oldest && chain.blocks.size >= KEPT_HEADERS) {
    throw new MalformedError('stale_header', `block ${header.number} is below block ${oldest}, the oldest one kept`);
  }
  const dropped = header.number <= chain.head ? dropFrom(chain, header.number) : [];
  const below = chain.blocks.get(header.number - 1);
  if (below && below.hash !== header.parentHash) dropped.push(...dropFrom(chain, below.number));
  const { number, hash, timestampMs } = header;
  chain.blocks.set(number, { number, hash, timestampMs, tradeIds: [], settlementIds: [] });
  chain.head = number;
  return dropped;
}

/** The block of a log; a log of a block that is not in the view is of no use, nobody could take it back. */
export function blockOfLog(chain: ChainView, log: ChainLog): ChainBlock {
  const block = chain.blocks.get(log.blockNumber);
  if (block?.hash === log.blockHash) return block;
  const kept = block ? `block ${log.blockNumber} kept is ${block.hash}` : `block ${log.blockNumber} is not kept`;
  throw new MalformedError('log_of_unknown_block', `${kept}; the log is of ${log.blockHash}`);
}

/** Whether the block is so deep, or so final, that its records are confirmed. */
export function isConfirmed(chain: ChainView, number: number, confirmations: number): boolean {
  return chain.head >= number + confirmations || chain.finalized >= number;
}

/** Removes the oldest blocks beyond `KEPT_HEADERS`, except those that hold unconfirmed records, and returns them. */
export function trimBlocks(chain: ChainView): ChainBlock[] {
  const trimmed: ChainBlock[] = [];
  for (const block of chain.blocks.values()) {
    if (chain.blocks.size <= KEPT_HEADERS) break;
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
