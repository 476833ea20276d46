/** Scans the chain for past events of a wallet, newest first, within the limits of one scan. */
import { firstBlockSince } from './find-block.ts';
import type { HistoryLog, HistoryNode } from './history-node.ts';
import { readWalletChunk, type SpanLimits } from './wallet-chunk.ts';

const DAY_SECONDS = 86_400;

export interface ScanLimits {
  readonly chunkBlocks: number;
  readonly chunksMax: number;
  /** Chunks that are read concurrently. */
  readonly parallel: number;
  readonly span: SpanLimits;
}

/** How far a scan came. */
export interface ScanReached {
  /** The block at which it will end. */
  readonly firstBlock: number;
  /** The first block that was scanned; one above `toBlock` before any was. */
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly fills: number;
}

export interface WalletScan {
  /** Lower case. */
  readonly wallet: string;
  readonly lookbackDays: number;
  /** A block that a new scan includes: later ones are followed with all that concerns the wallet. */
  readonly atLeast: number;
  /** How far an earlier process came; null for a new scan. */
  readonly reached: ScanReached | null;
}

export interface ScanOutputs {
  /** Called with the transactions of each chunk; the scan waits for it. */
  readonly publish: (found: readonly FoundTransaction[]) => Promise<void>;
  /** Called after some chunks, of which everything is published; the scan waits for it. */
  readonly onReached: (reached: ScanReached) => Promise<void>;
}

/** The published part of a found transaction. */
export interface FoundTransaction {
  readonly block: { readonly number: string; readonly hash: string; readonly timestamp: string };
  readonly logs: readonly HistoryLog[];
}

/**
 * Scans from the newest block back to the first one of the requested days, or until the number of chunks is used up.
 * Rejects if the node fails, and with the signal's reason.
 */
export async function scanWallet(
  node: HistoryNode,
  { wallet, lookbackDays, atLeast, reached }: WalletScan,
  limits: ScanLimits,
  { publish, onReached }: ScanOutputs,
): Promise<ScanReached> {
  let at = reached ?? (await startOf(node, lookbackDays, atLeast, limits));
  while (at.fromBlock > at.firstBlock) {
    const chunks = nextChunks(at.firstBlock, at.fromBlock, limits);
    const read = await Promise.all(chunks.map((chunk) => readWalletChunk(node, wallet, chunk, limits.span)));
    let { fills } = at;
    for (const chunk of read) {
      await publish(await withBlocks(node, chunk.transactions));
      fills += chunk.fills;
    }
    at = { ...at, fills, fromBlock: chunks.at(-1)!.from };
    await onReached(at);
  }
  return at;
}

async function startOf(
  node: HistoryNode,
  lookbackDays: number,
  atLeast: number,
  limits: ScanLimits,
): Promise<ScanReached> {
  const head = await node.head(atLeast);
  const toBlock = Number(head.number);
  const since = Number(head.timestamp) - lookbackDays * DAY_SECONDS;
  const lowest = Math.max(0, toBlock - limits.chunkBlocks * limits.chunksMax + 1);
  const timeOf = async (block: number) => Number((await node.header(block)).timestamp);
  const firstBlock = await firstBlockSince(timeOf, since, lowest, toBlock);
  return { firstBlock, fromBlock: toBlock + 1, toBlock, fills: 0 };
}

/** The next chunks below `scannedFrom`, newest first. */
function nextChunks(first: number, scannedFrom: number, { chunkBlocks, parallel }: ScanLimits) {
  const chunks: { from: number; to: number }[] = [];
  for (let to = scannedFrom - 1; to >= first && chunks.length < parallel; to -= chunkBlocks)
    chunks.push({ from: Math.max(first, to - chunkBlocks + 1), to });
  return chunks;
}

/** Adds the block to each transaction. If the logs do not contain its time, the node is queried once for each block. */
export function withBlocks(
  node: HistoryNode,
  transactions: readonly (readonly HistoryLog[])[],
): Promise<FoundTransaction[]> {
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
