/** venue_b: its catalog by polling, its books over market sockets, its fills from the chain. */
import { closeInReverse, closeAll } from '#infra/closing';
import type { Running } from '#infra/context';
import { Budget } from '../../feed/budget.ts';
import { FeedLife } from '../../feed/feed-life.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { Poller } from '../../feed/poller.ts';
import { type AdapterContext, addressOf, type VenueAdapter } from '../adapter.ts';
import { BookSockets } from './book-sockets.ts';
import { CatalogSource } from './catalog-source.ts';
import { CatalogSync } from './catalog-sync.ts';
import { followChain } from './chain/follow-chain.ts';
import { chooseMarkets } from './choose-markets.ts';
import { ClosedMarkets } from './closed-markets.ts';
import { CATALOG_BUDGET, LIVE, RPC_BUDGET, WATCHED_TOKENS_MAX } from './declaration.ts';
import { EarlierMarkets } from './earlier-markets.ts';
import { lookUpHistory } from './history/look-up-history.ts';
import { readPlaces } from './read-places.ts';

export const venueB: VenueAdapter = { venue: 'venue_b', start };

/** Least time between two rounds of the catalog. */
const CATALOG_SOONEST_MS = 10_000;

async function start(context: AdapterContext): Promise<Running> {
  const { settings, publisher, logger, metrics } = context;
  const { venues } = settings;
  const gammaUrl = addressOf(settings.venueBGammaUrl, LIVE.gamma, venues, 'PARALLAX_VENUE_B_GAMMA_URL');
  const clobWsUrl = addressOf(settings.venueBClobWsUrl, LIVE.clobWs, venues, 'PARALLAX_VENUE_B_CLOB_WS_URL');
  const rpcUrl = addressOf(settings.venueBRpcUrl, LIVE.rpc, venues, 'PARALLAX_VENUE_B_RPC_URL');

  // Before the first pass, which can put more into the log than is looked through for it.
  const places = await readPlaces(context.log, context.codec);
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeInReverse(closers.splice(0));
  const sockets = new BookSockets({ context, url: clobWsUrl, onAllConnected: context.expect('venue_b sockets') });
  closers.push(() => sockets.close());
  const catalogLoaded = context.expect('venue_b catalog');
  const life = new FeedLife({ venue: 'venue_b', feed: 'venue_b.gamma', publisher, logger, metrics });
  const http = new HttpClient({ budget: new Budget(CATALOG_BUDGET) });
  const source = new CatalogSource({ url: gammaUrl, http, life, publisher });
  const catalog = new CatalogSync(source, { logger });
  // What closed before an empty log is told by the pass over all earlier markets.
  const toldUntil = places.closedUntil ?? places.lookedBackTo ?? source.now();
  const closed = new ClosedMarkets(source, { toldUntil, logger });
  const earlier = new EarlierMarkets(source, places.earlier);
  const poller = new Poller({
    life,
    publisher,
    logger,
    everyMs: () => catalog.restMs(),
    soonestMs: CATALOG_SOONEST_MS,
    round: async (signal) => {
      closed.addVanished(await catalog.refresh(signal));
      sockets.want(chooseMarkets(catalog.markets(), sockets.watched(), WATCHED_TOKENS_MAX));
      catalogLoaded();
      // What is over comes last: nothing that trades waits for it.
      await closed.refresh(signal);
      await earlier.refresh(signal);
    },
  });
  const feeds: { close(): Promise<void> }[] = [poller];
  closers.push(() => closeAll(feeds));
  try {
    const rpcBudget = new Budget(RPC_BUDGET);
    feeds.push(await followChain(context, rpcUrl, rpcBudget, context.expect('venue_b chain head')));
    feeds.push(await lookUpHistory(context, rpcUrl, rpcBudget));
    return { close };
  } catch (error) {
    // What made the start fail is told, not what closing the rest met with.
    await close().catch((fault: unknown) => logger.error({ error: fault }, 'a part did not close cleanly'));
    throw error;
  }
}
