/** Runs the chain reader every second, and reports a stalled or failing node as feed events. */
import { closeAll } from '#infra/runtime/closing';
import type { Running } from '#infra/runtime/context';
import type { Budget } from '../../../feed/budget.ts';
import { ConnectionState } from '../../../feed/connection-state.ts';
import { Poller } from '../../../feed/poller.ts';
import type { AdapterContext } from '../../adapter.ts';
import {
  ANCESTOR_BLOCKS_MAX,
  FINALIZED_EVERY_MS,
  HEAD_EVERY_MS,
  HEAD_SILENCE_MS,
  NEAR_BLOCKS,
  RANGE_BLOCKS_FIRST,
  RANGE_BLOCKS_MAX,
  RPC_PARALLEL,
  RPC_TIMEOUT_MS,
} from '../declaration.ts';
import { ChainReader } from './chain-reader.ts';
import { openChainRpc } from './chain-rpc.ts';
import { readChainTail } from './chain-tail.ts';
import { type CollateralAccounts, followCollateralAccounts } from './collateral-accounts.ts';
import { CHAIN_LOG_FILTERS } from './log-filter.ts';
import { LogRanges } from './log-ranges.ts';

const FEED = 'venue_b.rpc';

/**
 * @param budget rate limit of the node.
 * @param collateral accounts whose transfers of collateral are read, too.
 * @param onHead called when everything up to the head is published.
 */
export async function followChain(
  context: AdapterContext,
  url: string,
  budget: Budget,
  collateral: CollateralAccounts,
  onHead: () => void,
): Promise<Running> {
  const { publisher, logger, metrics, settings } = context;
  const accounts = await followCollateralAccounts(context, collateral);
  const rpc = openChainRpc({
    url,
    filters: CHAIN_LOG_FILTERS,
    moreFilters: () => collateral.filters(),
    budget,
    timeoutMs: RPC_TIMEOUT_MS,
  });
  const connection = new ConnectionState({ venue: 'venue_b', feed: FEED, publisher, logger, metrics });
  const watch = watchHead(connection);
  const reader = new ChainReader({
    rpc,
    ranges: new LogRanges(rpc, { first: RANGE_BLOCKS_FIRST, max: RANGE_BLOCKS_MAX }),
    publisher,
    logger,
    tail: await readChainTail(context.log, context.codec, ANCESTOR_BLOCKS_MAX),
    lookbackBlocks: settings.venueBLookbackBlocks,
    nearBlocks: NEAR_BLOCKS,
    parallel: RPC_PARALLEL,
    collateral,
    onHead: watch,
  });
  let finalizedAt = Number.NEGATIVE_INFINITY;
  const poller = new Poller({
    connection,
    publisher,
    logger,
    intervalMs: () => HEAD_EVERY_MS,
    minIntervalMs: HEAD_EVERY_MS,
    round: async (signal) => {
      await reader.step(signal);
      onHead();
      if (performance.now() - finalizedAt < FINALIZED_EVERY_MS) return;
      finalizedAt = performance.now();
      // Some nodes do not support the tag; confirmations then depend on depth alone.
      await reader
        .publishFinalized()
        .catch((error: unknown) => logger.debug({ error }, 'could not read the finalized block'));
    },
  });
  // Concurrently: closing the client ends the requests that the poller waits for.
  return { close: () => closeAll([poller, rpc, accounts]) };
}

/** Treats a new head as activity, and an unchanged head as silence even if the node answers. */
function watchHead(connection: ConnectionState): (number: number) => void {
  let newest = { number: -1, at: 0 };
  return (number) => {
    const now = performance.now();
    if (number !== newest.number) {
      newest = { number, at: now };
      connection.markConnected();
    } else if (now - newest.at > HEAD_SILENCE_MS)
      connection.markSilent(`no block after ${number} for ${HEAD_SILENCE_MS} ms`);
    else if (connection.failures > 0) connection.markConnected();
  };
}
