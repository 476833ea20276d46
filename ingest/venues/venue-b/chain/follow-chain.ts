/** Keeps the follower going: asks for the head every second, notices when it stands still, and tells of both. */
import type { Running } from '#infra/context';
import type { Budget } from '../../../feed/budget.ts';
import { FeedLife } from '../../../feed/feed-life.ts';
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
import { ChainFollower } from './chain-follower.ts';
import { openChainRpc } from './chain-rpc.ts';
import { readChainTail } from './chain-tail.ts';
import { CHAIN_FILTERS } from './log-filter.ts';
import { LogRanges } from './log-ranges.ts';

const FEED = 'venue_b.rpc';

/**
 * @param budget of the node.
 * @param onHead told once the head is known and published up to.
 */
export async function followChain(
  context: AdapterContext,
  url: string,
  budget: Budget,
  onHead: () => void,
): Promise<Running> {
  const { publisher, logger, metrics, settings } = context;
  const rpc = openChainRpc({
    url,
    filters: CHAIN_FILTERS,
    budget,
    timeoutMs: RPC_TIMEOUT_MS,
  });
  const life = new FeedLife({ venue: 'venue_b', feed: FEED, publisher, logger, metrics });
  const watch = watchHead(life);
  const follower = new ChainFollower({
    rpc,
    ranges: new LogRanges(rpc, { first: RANGE_BLOCKS_FIRST, max: RANGE_BLOCKS_MAX }),
    publisher,
    logger,
    tail: await readChainTail(context.log, context.codec, ANCESTOR_BLOCKS_MAX),
    lookbackBlocks: settings.venueBLookbackBlocks,
    nearBlocks: NEAR_BLOCKS,
    parallel: RPC_PARALLEL,
    onHead: watch,
  });
  let finalizedAt = 0;
  const poller = new Poller({
    life,
    publisher,
    logger,
    everyMs: () => HEAD_EVERY_MS,
    soonestMs: HEAD_EVERY_MS,
    round: async (signal) => {
      await follower.step(signal);
      onHead();
      if (Date.now() - finalizedAt < FINALIZED_EVERY_MS) return;
      finalizedAt = Date.now();
      // Not every node knows the tag; confirmations then come by depth alone.
      await follower.tellFinalized().catch((error: unknown) => logger.debug({ error }, 'no finalized block'));
    },
  });
  return {
    close: async () => {
      await poller.close();
      await rpc.close();
    },
  };
}

/** Takes a moving head for a sign of life, and one that stands still for silence, though the node answers. */
function watchHead(life: FeedLife): (number: number) => void {
  let newest = { number: -1, at: 0 };
  return (number) => {
    const now = Date.now();
    if (number !== newest.number) {
      newest = { number, at: now };
      life.connect();
    } else if (now - newest.at > HEAD_SILENCE_MS) life.silence(`no block after ${number} for ${HEAD_SILENCE_MS} ms`);
    else if (life.failed > 0) life.connect();
  };
}
