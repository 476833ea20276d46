/** venue_b: its catalog by polling, its books over market sockets, its fills from the chain. */
import { closeInReverse, closeTogether } from '#infra/closing';
import type { Running } from '#infra/context';
import { Budget } from '../../feed/budget.ts';
import { FeedLife } from '../../feed/feed-life.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { Poller } from '../../feed/poller.ts';
import { type AdapterContext, addressOf, type VenueAdapter } from '../adapter.ts';
import { BookSockets } from './book-sockets.ts';
import { CatalogSync } from './catalog-sync.ts';
import { followChain } from './chain/follow-chain.ts';
import { CATALOG_BUDGET, LIVE, WATCHED_TOKENS_MAX } from './declaration.ts';
import { chooseMarkets } from './markets.ts';

export const venueB: VenueAdapter = { venue: 'venue_b', start };

/** Least time between two rounds of the catalog. */
const CATALOG_SOONEST_MS = 10_000;

async function start(context: AdapterContext): Promise<Running> {
  const { settings, publisher, logger, metrics } = context;
  const { venues } = settings;
  const gammaUrl = addressOf(settings.venueBGammaUrl, LIVE.gamma, venues, 'PARALLAX_VENUE_B_GAMMA_URL');
  const clobWsUrl = addressOf(settings.venueBClobWsUrl, LIVE.clobWs, venues, 'PARALLAX_VENUE_B_CLOB_WS_URL');
  const rpcUrl = addressOf(settings.venueBRpcUrl, LIVE.rpc, venues, 'PARALLAX_VENUE_B_RPC_URL');

  const closers: (() => Promise<void>)[] = [];
  const close = () => closeInReverse(closers.splice(0));
  const sockets = new BookSockets({ context, url: clobWsUrl, onAllConnected: context.expect('venue_b sockets') });
  closers.push(() => sockets.close());
  const catalogLoaded = context.expect('venue_b catalog');
  const life = new FeedLife({ venue: 'venue_b', feed: 'venue_b.gamma', publisher, logger, metrics });
  const catalog = new CatalogSync({
    url: gammaUrl,
    http: new HttpClient({ budget: new Budget(CATALOG_BUDGET) }),
    life,
    publisher,
  });
  const poller = new Poller({
    life,
    publisher,
    logger,
    everyMs: () => catalog.restMs(),
    soonestMs: CATALOG_SOONEST_MS,
    round: async (signal) => {
      await catalog.refresh(signal);
      sockets.want(chooseMarkets(catalog.markets(), sockets.watched(), WATCHED_TOKENS_MAX));
      catalogLoaded();
    },
  });
  const feeds: { close(): Promise<void> }[] = [poller];
  closers.push(() => closeTogether(feeds));
  try {
    feeds.push(await followChain(context, rpcUrl, context.expect('venue_b chain head')));
    return { close };
  } catch (error) {
    // What made the start fail is told, not what closing the rest met with.
    await close().catch((fault: unknown) => logger.error({ error: fault }, 'a part did not close cleanly'));
    throw error;
  }
}
