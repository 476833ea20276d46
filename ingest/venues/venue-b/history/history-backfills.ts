/** Serves backfills from the chain's node, without delaying the live follower. */

import { pause } from '#infra/runtime/pause';
import { timeLimit } from '#infra/runtime/time-limit';
import type { HistoryPayload } from '#schemas/domain/recording';
import { historyBackfill } from '#schemas/requests/history-backfill';
import { Budget } from '../../../feed/budget.ts';
import { defineHandler, REQUEST_AGE_MAX_MS } from '../../../requests/request-handler.ts';
import type { AdapterContext, RunningAdapter } from '../../adapter.ts';
import { ChainRpcError, openChainRpc } from '../chain/chain-rpc.ts';
import { CHAIN_LOG_FILTERS } from '../chain/log-filter.ts';
import {
  HISTORY_BUDGET,
  HISTORY_CHUNK_BLOCKS,
  HISTORY_CHUNKS_MAX,
  HISTORY_PARALLEL,
  HISTORY_SCAN_MAX_MS,
  RPC_TIMEOUT_MS,
  TAKER_ACCOUNTS_MAX,
  TAKER_SPAN_BLOCKS,
} from '../declaration.ts';
import { readFollowedFrom } from './followed-from.ts';
import { HistoryNode } from './history-node.ts';
import { type FoundTransaction, type ScanLimits, scanWallet } from './scan-wallet.ts';

const SOURCE = 'venue_b.history';
/** Two scans run at once, so that a long one does not delay all others. */
const SCANS_RUNNING = 2;
/** How long a scan waits for the follower's first block, and how often it checks. */
const FIRST_BLOCK_WITHIN_MS = 15_000;
const FIRST_BLOCK_EVERY_MS = 250;

const LIMITS: ScanLimits = {
  chunkBlocks: HISTORY_CHUNK_BLOCKS,
  chunksMax: HISTORY_CHUNKS_MAX,
  parallel: HISTORY_PARALLEL,
  span: { blocks: TAKER_SPAN_BLOCKS, accounts: TAKER_ACCOUNTS_MAX },
};

/** @param nodeBudget rate limit of all requests to the node, of which backfills get a part. */
export function openHistoryBackfills(
  context: AdapterContext,
  url: string,
  nodeBudget: Budget,
  limits: ScanLimits = LIMITS,
): RunningAdapter {
  const { publisher, log, codec } = context;
  const historyBudget = new Budget(HISTORY_BUDGET);
  const budget = {
    acquire: async (cost: number, signal?: AbortSignal) => {
      await historyBudget.acquire(cost, signal);
      await nodeBudget.acquire(cost, signal);
    },
  };
  const rpc = openChainRpc({ url, filters: CHAIN_LOG_FILTERS, budget, timeoutMs: RPC_TIMEOUT_MS });
  const followed = firstFollowed(() => readFollowedFrom(log, codec));

  const handler = defineHandler({
    kind: historyBackfill,
    running: SCANS_RUNNING,
    expiresAfterMs: REQUEST_AGE_MAX_MS,
    run: async ({ address, lookbackDays }, { signal: closing }) => {
      const signal = timeLimit(HISTORY_SCAN_MAX_MS, closing);
      const followedFrom = await followed(signal);
      const publish = async (found: readonly FoundTransaction[]) => {
        for (const { block, logs } of found) {
          await publisher.whenReady(signal);
          const payload: HistoryPayload = { followedFrom, block, logs: logs as unknown as HistoryPayload['logs'] };
          publisher.receive({
            source: SOURCE,
            feed: SOURCE,
            payload: JSON.stringify(payload),
            request: JSON.stringify({ wallet: address }),
          });
        }
      };
      const node = new HistoryNode(rpc, signal);
      const scanned = await scanWallet(node, { wallet: address, lookbackDays }, limits, publish);
      await publisher.flush();
      return scanned;
    },
  });
  return { handlers: [handler], close: () => rpc.close() };
}

/** Waits for the first followed block, and caches it. */
function firstFollowed(read: () => Promise<number | null>) {
  let known: number | null = null;
  return async (signal: AbortSignal): Promise<number> => {
    const deadline = performance.now() + FIRST_BLOCK_WITHIN_MS;
    for (known ??= await read(); known === null; known = await read()) {
      if (performance.now() > deadline) throw new ChainRpcError('the chain is not followed yet', false);
      if (!(await pause(FIRST_BLOCK_EVERY_MS, signal))) signal.throwIfAborted();
    }
    return known;
  };
}
