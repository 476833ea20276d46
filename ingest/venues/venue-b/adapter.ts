/** The adapter of venue_b: polls the catalog, receives books over WebSockets, and reads fills from the chain. */
import { closeAll, closeInReverse } from '#infra/runtime/closing';
import { WINDOWS } from '#schemas/domain/returns/series';
import { startChecks } from '../../checks/start-checks.ts';
import { Budget } from '../../feed/budget.ts';
import { ConnectionState } from '../../feed/connection-state.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { Poller } from '../../feed/poller.ts';
import { HeldInstruments } from '../../held/held-instruments.ts';
import { startSeriesRequests } from '../../series/request-series.ts';
import { startSnapshots } from '../../snapshots/request-snapshots.ts';
import {
  type AdapterContext,
  type RunningAdapter,
  type StartContext,
  upstreamUrl,
  type VenueAdapter,
} from '../adapter.ts';
import { createAcquisitions } from './acquisitions.ts';
import { BookSockets } from './book-sockets.ts';
import { CatalogSource } from './catalog-source.ts';
import { CatalogSync } from './catalog-sync.ts';
import { openChainRpc } from './chain/chain-rpc.ts';
import { CollateralAccounts } from './chain/collateral-accounts.ts';
import { followChain } from './chain/follow-chain.ts';
import { chooseMarkets } from './choose-markets.ts';
import { ClosedMarkets } from './closed-markets.ts';
import { readCrawlCursors } from './crawl-cursors.ts';
import {
  CATALOG_BUDGET,
  DATA_TIMEOUT_MS,
  POSITIONS_BUDGET,
  PRIORITIES,
  RPC_BUDGET,
  RPC_TIMEOUT_MS,
  WATCHED_TOKENS_MAX,
} from './declaration.ts';
import { EarlierMarkets } from './earlier-markets.ts';
import { openHistoryBackfills } from './history/history-backfills.ts';
import { createPositionReads } from './position-reads.ts';
import { createUserPnlReads } from './user-pnl-reads.ts';

export const venueB: VenueAdapter = { start };

/** Minimum time between two rounds of the catalog. */
const CATALOG_MIN_INTERVAL_MS = 10_000;

async function start(context: StartContext): Promise<RunningAdapter> {
  const { settings, publisher, logger, metrics } = context;
  const gammaUrl = upstreamUrl(settings, 'venueBGammaUrl');
  const clobWsUrl = upstreamUrl(settings, 'venueBClobWsUrl');
  const rpcUrl = upstreamUrl(settings, 'venueBRpcUrl');

  // Read before the first pass, which can append more records than this search covers.
  const cursors = await readCrawlCursors(context.log, context.codec);
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeInReverse(closers.splice(0));
  const sockets = new BookSockets({ context, url: clobWsUrl, onAllConnected: context.expect('venue_b sockets') });
  closers.push(() => sockets.close());
  // The books of new positions are chosen in the next round, a few seconds later.
  const held = new HeldInstruments(context, 'venue_b', () => {});
  closers.push(() => held.close());
  await held.start();
  const catalogLoaded = context.expect('venue_b catalog');
  const connection = new ConnectionState({ venue: 'venue_b', feed: 'venue_b.gamma', publisher, logger, metrics });
  const http = new HttpClient({ budget: new Budget(CATALOG_BUDGET) });
  const source = new CatalogSource({ url: gammaUrl, http, connection, publisher });
  const catalog = new CatalogSync(source, { logger });
  // With an empty log, the crawl of the earlier markets covers all that closed before.
  const publishedUntil = cursors.closedUntil ?? cursors.oldestReadAt ?? source.now();
  const closed = new ClosedMarkets(source, { publishedUntil, logger });
  const earlier = new EarlierMarkets(source, cursors.earlier);
  const poller = new Poller({
    connection,
    publisher,
    logger,
    intervalMs: () => catalog.untilDueMs(),
    minIntervalMs: CATALOG_MIN_INTERVAL_MS,
    round: async (signal) => {
      closed.addVanished(await catalog.refresh(signal));
      const isHeld = (token: string) => held.has(token);
      sockets.update(chooseMarkets(catalog.markets(), sockets.watched(), WATCHED_TOKENS_MAX, isHeld));
      catalogLoaded();
      // Closed markets come last, so that they never delay open ones.
      await closed.refresh(signal);
      await earlier.refresh(signal);
    },
  });
  const feeds: { close(): Promise<void> }[] = [poller];
  closers.push(() => closeAll(feeds));
  try {
    const rpcBudget = new Budget(RPC_BUDGET);
    const collateral = new CollateralAccounts();
    feeds.push(await followChain(context, rpcUrl, rpcBudget, collateral, context.expect('venue_b chain head')));
    const backfills = await openHistoryBackfills(context, rpcUrl, rpcBudget, { collateral, catalog: source });
    feeds.push(backfills);
    const userPnl = createUserPnlReads({ url: upstreamUrl(settings, 'venueBPnlUrl'), publisher, metrics });
    const series = await startSeriesRequests({
      context,
      attempts: context.seriesAttempts,
      family: 'venue_b',
      windows: WINDOWS,
      send: (address, window, signal) => userPnl.send({ address, window }, signal),
    });
    feeds.push(series);
    const rpc = openChainRpc({ url: rpcUrl, filters: [], budget: rpcBudget, timeoutMs: RPC_TIMEOUT_MS });
    feeds.push(rpc);
    const accounts = accountReads(upstreamUrl(settings, 'venueBDataUrl'), metrics);
    const acquisitions = createAcquisitions({ ...accounts, rpc, publisher, metrics });
    const { acquire } = acquisitions;
    feeds.push(await startSnapshots({ context, family: 'venue_b', acquire, priority: PRIORITIES.snapshots }));
    feeds.push(await startChecks({ context, acquire, priority: PRIORITIES.snapshots }));
    return {
      handlers: [
        ...(backfills.handlers ?? []),
        userPnl.handler,
        series.handler,
        ...acquisitions.handlers,
        createPositionReads(accounts),
      ],
      close,
    };
  } catch (error) {
    // The cause of the failed start is thrown; errors of closing are logged only.
    await close().catch((fault: unknown) =>
      logger.error({ error: fault }, 'could not close a part of the venue_b adapter'),
    );
    throw error;
  }
}

/** What the positions of accounts are read with. */
function accountReads(url: string, metrics: AdapterContext['metrics']) {
  const budget = new Budget(POSITIONS_BUDGET);
  const counter = { source: 'venue_b.data', metrics };
  const http = new HttpClient({ budget, retries: 'reads', timeoutMs: DATA_TIMEOUT_MS, counter });
  return { url, budget, http };
}
