/** Serves backfills from the chain's node, without delaying the live follower. */

import { closeAll } from '#infra/runtime/closing';
import { pause } from '#infra/runtime/pause';
import type { HistoryPayload } from '#schemas/domain/recording';
import {
  BACKFILL_ANSWER_MS,
  type BackfillState,
  backfillState,
  historyBackfill,
} from '#schemas/requests/history-backfill';
import type { Backfill } from '#schemas/topics/backfills';
import { Budget } from '../../../feed/budget.ts';
import { UpstreamError } from '../../../feed/errors.ts';
import { defineHandler, REQUEST_AGE_MAX_MS } from '../../../requests/request-handler.ts';
import type { AdapterContext, RunningAdapter } from '../../adapter.ts';
import type { CatalogSource } from '../catalog-source.ts';
import { type ChainRpc, ChainRpcError, openChainRpc } from '../chain/chain-rpc.ts';
import type { CollateralAccounts } from '../chain/collateral-accounts.ts';
import { CHAIN_LOG_FILTERS } from '../chain/log-filter.ts';
import {
  HISTORY_BUDGET,
  HISTORY_CHUNK_BLOCKS,
  HISTORY_CHUNKS_MAX,
  HISTORY_PARALLEL,
  HISTORY_TOKENS_MAX,
  RPC_TIMEOUT_MS,
  TAKER_ACCOUNTS_MAX,
  TAKER_SPAN_BLOCKS,
} from '../declaration.ts';
import { BackfillNotes } from './backfill-notes.ts';
import { BackfillQueue, type BackfillQueueOptions } from './backfill-queue.ts';
import { AccountNotBoundError, FOLLOWED_EVERY_MS, whenFollowed } from './bound-account.ts';
import { readFollowedFrom } from './followed-from.ts';
import { HistoryNode } from './history-node.ts';
import { findResolutions, tokensIn } from './market-resolutions.ts';
import { type FoundTransaction, type ScanLimits, type ScanReached, scanWallet } from './scan-wallet.ts';

const SOURCE = 'venue_b.history';
/** Callers that wait for the end of a backfill, and states that are read, at once. */
const ANSWERS_WAITING = 200;
/** How long a scan waits for the follower: its first block, and the transfers of the account. */
const FIRST_BLOCK_WITHIN_MS = 15_000;
const TRANSFERS_WITHIN_MS = 120_000;

const LIMITS: ScanLimits = {
  chunkBlocks: HISTORY_CHUNK_BLOCKS,
  chunksMax: HISTORY_CHUNKS_MAX,
  parallel: HISTORY_PARALLEL,
  span: { blocks: TAKER_SPAN_BLOCKS, accounts: TAKER_ACCOUNTS_MAX },
};

/** What backfills share with the rest of the adapter. */
interface SharedParts {
  /** Accounts whose transfers of collateral are followed. */
  readonly collateral: Pick<CollateralAccounts, 'readFrom' | 'boundSince'>;
  readonly catalog: Pick<CatalogSource, 'lookUpTokens'>;
}

/** @param nodeBudget rate limit of all requests to the node, of which backfills get a part. */
export async function openHistoryBackfills(
  context: AdapterContext,
  url: string,
  nodeBudget: Budget,
  { collateral, catalog }: SharedParts,
  limits: ScanLimits = LIMITS,
): Promise<RunningAdapter> {
  const { publisher, log, codec, logger } = context;
  const notes = await BackfillNotes.open(log, codec);
  const historyBudget = new Budget(HISTORY_BUDGET);
  const budget = {
    acquire: async (cost: number, signal?: AbortSignal) => {
      await historyBudget.acquire(cost, signal);
      await nodeBudget.acquire(cost, signal);
    },
  };
  const rpc = openChainRpc({ url, filters: CHAIN_LOG_FILTERS, budget, timeoutMs: RPC_TIMEOUT_MS });
  const followed = firstFollowed(() => readFollowedFrom(log, codec));

  const scan: BackfillQueueOptions['scan'] = async (note, progress, signal) => {
    const { address, lookbackDays } = note;
    const followedFrom = await followed(signal);
    const reached = reachedOf(note);
    const {
      block: atLeast,
      ledger,
      assertBound,
    } = await whenFollowed(collateral, address, {
      wasBound: reached !== null,
      startedAt: note.startedAt,
      withinMs: TRANSFERS_WITHIN_MS,
      signal,
    });
    const receive = (payload: HistoryPayload) =>
      publisher.receive({
        source: SOURCE,
        feed: SOURCE,
        payload: JSON.stringify(payload),
        request: JSON.stringify({ wallet: address, ledger }),
      });
    const publish = async (found: readonly FoundTransaction[]) => {
      for (const { block, logs } of found) {
        await publisher.whenReady(signal);
        assertBound();
        receive({ followedFrom, block, logs: logs as unknown as HistoryPayload['logs'] });
      }
    };
    const node = new HistoryNode(whileBound(rpc, assertBound), signal);
    const closedConditions = (tokens: readonly string[]) => {
      assertBound();
      return catalog.lookUpTokens(tokens, signal);
    };
    const search = { closedConditions, node, signal, limits };
    const tokens = new Set(note.tokens);
    const publishResolutions = async (from: number) => {
      // Later resolutions are followed.
      await publish(await findResolutions(search, [...tokens], { from, to: followedFrom - 1 }));
      tokens.clear();
    };
    const publishFound = async (found: readonly FoundTransaction[]) => {
      await publish(found);
      for (const { block, logs } of found)
        if (Number(block.number) < followedFrom) for (const token of tokensIn(logs)) tokens.add(token);
    };
    const onReached = async (reached: ScanReached) => {
      if (tokens.size >= HISTORY_TOKENS_MAX) await publishResolutions(reached.firstBlock);
      await publisher.flush();
      await progress({ ...reached, tokens: [...tokens] });
    };
    const request = { wallet: address, lookbackDays, atLeast, reached };
    const { firstBlock } = await scanWallet(node, request, limits, { publish: publishFound, onReached });
    await publishResolutions(firstBlock);
    const now = collateral.readFrom(address);
    // What was found does not belong to a binding that began later.
    if (now === null || now.ledger > note.startedAt) return;
    const { number, hash, timestamp } = await node.header(firstBlock);
    await publisher.whenReady(signal);
    receive({
      followedFrom,
      block: { number: String(number), hash: String(hash), timestamp },
      logs: [],
      collateral: now.ledger,
    });
    await publisher.flush();
  };
  const queue = new BackfillQueue({ notes, logger, scan, reasonOf });

  const start = defineHandler({
    kind: historyBackfill,
    running: ANSWERS_WAITING,
    expiresAfterMs: REQUEST_AGE_MAX_MS,
    run: async (params, { signal, requestedAt }) => {
      if (!(await queue.add({ ...params, startedAt: requestedAt }))) return null;
      await queue.waitForEnd(params.id, Math.max(0, requestedAt + BACKFILL_ANSWER_MS - Date.now()), signal);
      signal.throwIfAborted();
      return stateOf(notes.get(params.id));
    },
  });
  const state = defineHandler({
    kind: backfillState,
    running: ANSWERS_WAITING,
    expiresAfterMs: REQUEST_AGE_MAX_MS,
    run: async ({ id, orgId }) => {
      const note = notes.get(id);
      return stateOf(note?.orgId === orgId ? note : null);
    },
  });
  return { handlers: [start, state], close: () => closeAll([queue, rpc]) };
}

/** Why a scan failed: of the venue's hosts it requests only the catalog. */
function reasonOf(error: unknown): string {
  if (error instanceof AccountNotBoundError) return error.code;
  return error instanceof UpstreamError ? 'catalog_unavailable' : 'chain_unavailable';
}

/** Sends no request for an account that is not bound any more, also in the middle of a chunk. */
function whileBound(rpc: ChainRpc, assertBound: () => void): Pick<ChainRpc, 'header' | 'logsWith'> {
  return {
    async header(block) {
      assertBound();
      return rpc.header(block);
    },
    async logsWith(filter, from, to) {
      assertBound();
      return rpc.logsWith(filter, from, to);
    },
  };
}

/** How far an earlier process came; null before the scan began. */
function reachedOf({ firstBlock, fromBlock, toBlock, fills }: Omit<Backfill, 'receivedAt'>): ScanReached | null {
  if (firstBlock === null || fromBlock === null || toBlock === null) return null;
  return { firstBlock, fromBlock, toBlock, fills };
}

function stateOf(note: Backfill | null): BackfillState | null {
  if (!note) return null;
  const { id, walletId, status, reason, fromBlock, toBlock, fills, startedAt, endedAt } = note;
  return { id, walletId, status, reason, fromBlock, toBlock, fills, startedAt, endedAt };
}

/** Waits for the first followed block, and caches it. */
function firstFollowed(read: () => Promise<number | null>) {
  let known: number | null = null;
  return async (signal: AbortSignal): Promise<number> => {
    const deadline = performance.now() + FIRST_BLOCK_WITHIN_MS;
    for (known ??= await read(); known === null; known = await read()) {
      if (performance.now() > deadline) throw new ChainRpcError('the chain is not followed yet', false);
      if (!(await pause(FOLLOWED_EVERY_MS, signal))) signal.throwIfAborted();
    }
    return known;
  };
}
