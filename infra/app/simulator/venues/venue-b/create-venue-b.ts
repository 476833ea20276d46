import { parseJsonOrNull } from '#schemas/domain/json-fields';
import type { HostRequest } from '../../sockets/http-host.ts';
import { createSocketHub, type SocketHub } from '../../sockets/socket-hub.ts';
import type { SimulatedVenue, VenueContext } from '../simulated-venue.ts';
import { type AccountHistory, createAccountHistory } from './account-history.ts';
import { answerData, answerPnl } from './account-hosts.ts';
import { createCatalog } from './catalog.ts';
import { createChain } from './chain.ts';
import { type ChainFeed, createChainFeed } from './chain-feed.ts';
import { createClob } from './clob.ts';
import { createVenueBFeed, type VenueBFeed } from './feed.ts';
import { createGamma } from './gamma.ts';
import { createHoldings, type Holdings } from './holdings.ts';
import { createMarketBoard, type MarketBoard } from './market-board.ts';
import { createRpc } from './rpc.ts';
import { createRpcSocket } from './rpc-socket.ts';
import { createVenueBSocket } from './socket-protocol.ts';

/** What is known about the accounts of the simulated venue_b. */
export interface SimulatedAccountsB {
  readonly board: MarketBoard;
  readonly history: AccountHistory;
  readonly holdings: Holdings;
}

/** The simulated venue_b with its chain. */
export interface SimulatedVenueB extends SimulatedVenue {
  readonly chainFeed: ChainFeed;
  /** What accounts own and did. */
  readonly accounts: SimulatedAccountsB;
}

export function createVenueB(context: VenueContext): SimulatedVenueB {
  const { world, board, paths, now, observer, onError } = context;
  const marketBoard = createMarketBoard(world);
  const catalog = createCatalog(world, marketBoard);
  const gamma = createGamma(marketBoard, catalog);
  const clob = createClob(world, marketBoard);
  const chain = createChain(world, marketBoard, context);
  const history = createAccountHistory(world, marketBoard, chain);
  const holdings = createHoldings(world, marketBoard, history);
  const rpc = createRpc(chain, holdings, () => (board.consume('duplicates', 'venue_b.rpc') ? 2 : 1));
  const moment = () => ({ head: chain.headAt(now()) });

  const marketSocket = createVenueBSocket(
    marketBoard,
    () => feed,
    now,
    () => marketHub,
  );
  const feed: VenueBFeed = createVenueBFeed(world, marketBoard, catalog, marketSocket.publisher);
  const marketHub: SocketHub = createSocketHub('venue_b.clob_ws', board, () => marketSocket, { observer });
  const rpcSocket = createRpcSocket(rpc, moment, () => rpcHub, onError);
  const rpcHub: SocketHub = createSocketHub('venue_b.rpc', board, () => rpcSocket, { observer });

  const chainFeed = createChainFeed(chain, (removed, added) => rpcSocket.publish(removed, added));

  // An unreadable body is answered like null.
  const answerClob = ({ method, path, query, body }: HostRequest) =>
    method === 'POST' ? clob.post(path, parseJsonOrNull(body), now()) : clob.get(path, query, now());
  return {
    chainFeed,
    accounts: { board: marketBoard, history, holdings },
    feeds: [feed, chainFeed],
    hosts: [
      { prefix: paths.venueBGammaUrl, target: 'venue_b.gamma', answer: ({ path, query }) => gamma(path, query, now()) },
      { prefix: paths.venueBClobUrl, target: 'venue_b.clob', answer: answerClob },
      {
        prefix: paths.venueBDataUrl,
        target: 'venue_b.data',
        answer: ({ path, query }) => answerData(holdings, path, query, moment().head),
      },
      { prefix: paths.venueBPnlUrl, target: 'venue_b.pnl', answer: () => answerPnl() },
      {
        prefix: paths.venueBRpcUrl,
        target: 'venue_b.rpc',
        answer: async ({ body }) => ({ status: 200, text: await rpc.answer(body, moment()) }),
      },
    ],
    sockets: [
      {
        path: paths.venueBClobWsUrl,
        target: 'venue_b.clob_ws',
        hub: marketHub,
        subscriptions: () => marketSocket.subscriptions(),
      },
      {
        path: paths.venueBRpcUrl,
        target: 'venue_b.rpc',
        hub: rpcHub,
        subscriptions: () => rpcSocket.subscriptions(),
      },
    ],
  };
}
