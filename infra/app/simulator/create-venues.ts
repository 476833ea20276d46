import type { FaultBoard, SocketTarget } from './faults/fault-board.ts';
import type { SimulationOutputs } from './simulation.ts';
import type { Host, HostRequest, SocketHost } from './sockets/http-host.ts';
import { createSocketHub, type HubStats, type SocketHub } from './sockets/socket-hub.ts';
import type { SimulatorUrls } from './start-simulator.ts';
import { createVenueAFeed } from './venues/venue-a/feed.ts';
import { createInfo, UNREADABLE } from './venues/venue-a/info.ts';
import { createMarkets } from './venues/venue-a/market.ts';
import { createVenueASocket } from './venues/venue-a/socket-protocol.ts';
import { answerStats } from './venues/venue-a/stats.ts';
import { answerData, answerPnl } from './venues/venue-b/account-hosts.ts';
import { createCatalog } from './venues/venue-b/catalog.ts';
import { type Chain, createChain } from './venues/venue-b/chain.ts';
import { createClob } from './venues/venue-b/clob.ts';
import { createVenueBFeed, type VenueBFeed } from './venues/venue-b/feed.ts';
import { createGamma } from './venues/venue-b/gamma.ts';
import { createMarketBoard } from './venues/venue-b/market-board.ts';
import { createRpc } from './venues/venue-b/rpc.ts';
import { createRpcSocket } from './venues/venue-b/rpc-socket.ts';
import { createVenueBSocket } from './venues/venue-b/socket-protocol.ts';
import type { World } from './world/world.ts';

/** venue_a closes a connection to which it sent nothing for a minute (venue page, section 7). */
const VENUE_A_IDLE_MS = 60_000;

const PATHS = {
  venueAApiUrl: '/venue-a',
  venueAWsUrl: '/venue-a/ws',
  venueAStatsUrl: '/venue-a/stats',
  venueBGammaUrl: '/venue-b/gamma',
  venueBClobUrl: '/venue-b/clob',
  venueBClobWsUrl: '/venue-b/ws/market',
  venueBDataUrl: '/venue-b/data',
  venueBPnlUrl: '/venue-b/pnl/user-pnl',
  venueBRpcUrl: '/venue-b/rpc',
} as const;

/** Both venues of one world: their HTTP hosts, their frames and their sockets. */
export interface Venues {
  readonly chain: Chain;
  readonly outputs: SimulationOutputs;
  readonly hosts: readonly Host[];
  readonly sockets: readonly SocketHost[];
  readonly hubs: Readonly<Record<SocketTarget, SocketHub>>;
  /**
   * URLs of all interfaces.
   *
   * @param base `host:port`
   */
  urls(base: string): SimulatorUrls;
  flush(): void;
  terminateAll(): void;
  socketStats(): Readonly<Record<SocketTarget, HubStats & { readonly subscriptions: number }>>;
  close(): Promise<void>;
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Every host has its own answer to an unreadable body, which it also gives to null.
    return null;
  }
}

/**
 * Creates both venues. `now` returns the time up to which the world is simulated; `onError` is called with errors of
 * handlers.
 */
export function createVenues(
  world: World,
  board: FaultBoard,
  now: () => number,
  settings: { readonly spontaneousReorgs: boolean },
  onError: (error: unknown) => void,
): Venues {
  const markets = createMarkets(world);
  const info = createInfo(world, markets);
  const marketBoard = createMarketBoard(world);
  const catalog = createCatalog(world, marketBoard);
  const gamma = createGamma(marketBoard, catalog);
  const clob = createClob(world, marketBoard);
  const chain = createChain(world, marketBoard, settings);
  const rpc = createRpc(chain, () => (board.consume('duplicates', 'venue_b.rpc') ? 2 : 1));
  const moment = () => ({ head: chain.headAt(now()) });

  const hubs: Record<SocketTarget, SocketHub> = {} as Record<SocketTarget, SocketHub>;
  const venueASocket = createVenueASocket(world, markets, info, now, () => hubs['venue_a.ws']);
  const venueBSocket = createVenueBSocket(
    marketBoard,
    () => venueB,
    now,
    () => hubs['venue_b.clob_ws'],
  );
  const rpcSocket = createRpcSocket(rpc, moment, () => hubs['venue_b.rpc'], onError);
  hubs['venue_a.ws'] = createSocketHub('venue_a.ws', board, () => venueASocket, VENUE_A_IDLE_MS);
  hubs['venue_b.clob_ws'] = createSocketHub('venue_b.clob_ws', board, () => venueBSocket, null);
  hubs['venue_b.rpc'] = createSocketHub('venue_b.rpc', board, () => rpcSocket, null);
  const venueA = createVenueAFeed(world, markets, venueASocket.publisher);
  const venueB: VenueBFeed = createVenueBFeed(world, marketBoard, catalog, venueBSocket.publisher);
  const all = Object.values(hubs);

  const answerInfo = (request: HostRequest) =>
    request.method === 'POST' && request.path === '/info' ? info(parseBody(request.body), now()) : UNREADABLE;
  const answerClob = ({ method, path, query, body }: HostRequest) =>
    method === 'POST' ? clob.post(path, parseBody(body), now()) : clob.get(path, query, now());
  // A host whose path starts with another host's path must come first.
  const hosts: readonly Host[] = [
    { prefix: PATHS.venueAStatsUrl, target: 'venue_a.stats', answer: ({ path }) => answerStats(path) },
    { prefix: PATHS.venueAApiUrl, target: 'venue_a.info', answer: answerInfo },
    { prefix: PATHS.venueBGammaUrl, target: 'venue_b.gamma', answer: ({ path, query }) => gamma(path, query, now()) },
    { prefix: PATHS.venueBClobUrl, target: 'venue_b.clob', answer: answerClob },
    { prefix: PATHS.venueBDataUrl, target: 'venue_b.data', answer: ({ path, query }) => answerData(path, query) },
    { prefix: PATHS.venueBPnlUrl, target: 'venue_b.pnl', answer: () => answerPnl() },
    {
      prefix: PATHS.venueBRpcUrl,
      target: 'venue_b.rpc',
      answer: async ({ body }) => ({ status: 200, text: await rpc.answer(body, moment()) }),
    },
  ];
  return {
    chain,
    hubs,
    hosts,
    outputs: { venueA, venueB, blocks: (removed, added) => rpcSocket.publish(removed, added) },
    sockets: [
      { path: PATHS.venueAWsUrl, upgrade: hubs['venue_a.ws'].upgrade },
      { path: PATHS.venueBClobWsUrl, upgrade: hubs['venue_b.clob_ws'].upgrade },
      { path: PATHS.venueBRpcUrl, upgrade: hubs['venue_b.rpc'].upgrade },
    ],
    urls(base) {
      const entries = Object.entries(PATHS).map(([name, path]) => {
        return [name, `${name.endsWith('WsUrl') ? 'ws' : 'http'}://${base}${path}`];
      });
      return Object.fromEntries(entries) as SimulatorUrls;
    },
    flush() {
      for (const hub of all) hub.flush();
    },
    terminateAll() {
      for (const hub of all) hub.terminateAll();
    },
    socketStats: () => ({
      'venue_a.ws': { ...hubs['venue_a.ws'].stats(), subscriptions: venueASocket.subscriptions() },
      'venue_b.clob_ws': { ...hubs['venue_b.clob_ws'].stats(), subscriptions: venueBSocket.subscriptions() },
      'venue_b.rpc': { ...hubs['venue_b.rpc'].stats(), subscriptions: rpcSocket.subscriptions() },
    }),
    async close() {
      await Promise.all(all.map((hub) => hub.close()));
    },
  };
}
