/** Looks up the past fills of a wallet on the chain, newest first, within the budget of one scan. */

import { firstBlockSince } from './find-block.ts';
import type { HistoryLog, HistoryNode } from './history-node.ts';
import { readWalletChunk, type SpanLimits } from './wallet-chunk.ts';

const DAY_SECONDS = 86_400;

export interface ScanLimits {
  readonly chunkBlocks: number;
  readonly chunksMax: number;
  readonly fillsMax: number;
  /** Chunks read at once. */
  readonly parallel: number;
  readonly span: SpanLimits;
}

export interface WalletScan {
  /** Lower case. */
  readonly wallet: string;
  readonly lookbackDays: number;
  /** Transactions of this block and later ones are counted, not published: they stand in the log. */
  readonly followedFrom: number;
}

/** One transaction that was found: what is published of it. */
export interface FoundTransaction {
  readonly block: { readonly number: string; readonly hash: string; readonly timestamp: string };
  readonly logs: readonly HistoryLog[];
}

export interface Scanned {
  readonly fills: number;
  readonly fromBlock: number;
  readonly toBlock: number;
}

/**
 * Goes from the newest block back to the first one of the days asked for, or to where the budget ends: so many chunks,
 * or the chunk in which so many fills were reached. Rejects when the node fails, and with the signal's reason.
 *
 * @param publish told each transaction, chunk by chunk; it may make the scan wait.
 */
export async function scanWallet(
  node: HistoryNode,
  { wallet, lookbackDays, followedFrom }: WalletScan,
  limits: ScanLimits,
  publish: (found: readonly FoundTransaction[]) => Promise<void>,
): Promise<Scanned> {
  const head = await node.header('latest');
  const toBlock = Number(head.number);
  const since = Number(head.timestamp) - lookbackDays * DAY_SECONDS;
  const lowest = Math.max(0, toBlock - limits.chunkBlocks * limits.chunksMax + 1);
  const timeOf = async (block: number) => Number((await node.header(block)).timestamp);
  const first = await firstBlockSince(timeOf, since, lowest, toBlock);
  let fills = 0;
  let done = toBlock + 1;
  while (done > first && fills < limits.fillsMax) {
    const chunks = nextChunks(first, done, limits);
    const read = await Promise.all(
      chunks.map((chunk) => readWalletChunk(node, wallet, { ...chunk, publishBelow: followedFrom }, limits.span)),
    );
    for (const [at, chunk] of read.entries()) {
      if (fills >= limits.fillsMax) break;
      await publish(await withBlocks(node, chunk.transactions));
      fills += chunk.fills;
      done = chunks[at]!.from;
    }
  }
  return { fills, fromBlock: done, toBlock };
}

/** The chunks below `done`, newest first. */
function nextChunks(first: number, done: number, { chunkBlocks, parallel }: ScanLimits) {
  const chunks: { from: number; to: number }[] = [];
  for (let to = done - 1; to >= first && chunks.length < parallel; to -= chunkBlocks)
    chunks.push({ from: Math.max(first, to - chunkBlocks + 1), to });
  return chunks;
}

/** The logs of transactions with their blocks, whose time some nodes tell with each log; others are asked once a block. */
function withBlocks(node: HistoryNode, transactions: readonly (readonly HistoryLog[])[]): Promise<FoundTransaction[]> {
  const times = new Map<string, Promise<string>>();
  const timeOf = (number: string): Promise<string> => {
    const time = times.get(number) ?? node.header(Number(number)).then(({ timestamp }) => timestamp);
    times.set(number, time);
    return time;
  };
  return Promise.all(
    transactions.map(async (logs) => {
      const { blockNumber, blockHash, blockTimestamp } = logs[0]!;
      const number = String(blockNumber);
      const timestamp = blockTimestamp ?? (await timeOf(number));
      return { block: { number, hash: String(blockHash), timestamp }, logs };
    }),
  );
}
