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

export interface WalletScan {
  /** Lower case. */
  readonly wallet: string;
  readonly lookbackDays: number;
}

/** The published part of a found transaction. */
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
 * Scans from the newest block back to the first one of the requested days, or until the number of chunks is used up.
 * Rejects if the node fails, and with the signal's reason.
 *
 * @param publish called with the transactions of each chunk; the scan waits for it.
 */
export async function scanWallet(
  node: HistoryNode,
  { wallet, lookbackDays }: WalletScan,
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
  let scannedFrom = toBlock + 1;
  while (scannedFrom > first) {
    const chunks = nextChunks(first, scannedFrom, limits);
    const read = await Promise.all(
      chunks.map((chunk) => readWalletChunk(node, wallet, chunk, limits.span)),
    );
    for (const [at, chunk] of read.entries()) {
      await publish(await withBlocks(node, chunk.transactions));
      fills += chunk.fills;
      scannedFrom = chunks[at]!.from;
    }
  }
  return { fills, fromBlock: scannedFrom, toBlock };
}

/** The next chunks below `scannedFrom`, newest first. */
function nextChunks(first: number, scannedFrom: number, { chunkBlocks, parallel }: ScanLimits) {
  const chunks: { from: number; to: number }[] = [];
  for (let to = scannedFrom - 1; to >= first && chunks.length < parallel; to -= chunkBlocks)
    chunks.push({ from: Math.max(first, to - chunkBlocks + 1), to });
  return chunks;
}

/** Adds the block to each transaction. If the logs do not contain its time, the node is queried once for each block. */
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
