import { UPSTREAMS, type UpstreamSetting } from '#schemas/venues/streams';
import type { FaultBoard, SocketTarget } from './faults/fault-board.ts';
import type { SimulationOutputs } from './simulation.ts';
import type { Host, HostRequest, SocketHost } from './sockets/http-host.ts';
import { createSocketHub, type HubStats, type SocketHub } from './sockets/socket-hub.ts';
import type { SimulatorUrls } from './start-simulator.ts';
import { createVenueAFeed } from './venue-a/feed.ts';
import { createInfo, UNREADABLE } from './venue-a/info.ts';
import { createMarkets } from './venue-a/market.ts';
import { createVenueASocket } from './venue-a/socket-protocol.ts';
import { answerStats } from './venue-a/stats.ts';
import { answerData, answerPnl } from './venue-b/account-hosts.ts';
import { createCatalog } from './venue-b/catalog.ts';
import { type Chain, createChain } from './venue-b/chain.ts';
import { createClob } from './venue-b/clob.ts';
import { createVenueBFeed, type VenueBFeed } from './venue-b/feed.ts';
import { createGamma } from './venue-b/gamma.ts';
import { createMarketBoard } from './venue-b/market-board.ts';
import { createRpc } from './venue-b/rpc.ts';
import { createRpcSocket } from './venue-b/rpc-socket.ts';
import { createVenueBSocket } from './venue-b/socket-protocol.ts';
import type { World } from './world/world.ts';

/** venue_a closes a connection to which it sent nothing for a minute (venue page, section 7). */
const VENUE_A_IDLE_MS = 60_000;

/** Path of each URL on the simulator: `/<venue>.<stream>`. */
const PATHS = Object.fromEntries(
  Object.values(UPSTREAMS).map(({ setting, source }) => [setting, `/${source}`]),
) as Readonly<Record<UpstreamSetting, string>>;

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
      const entries = Object.values(UPSTREAMS).map(({ setting, protocols: [protocol] }) => {
        return [setting, `${protocol}://${base}${PATHS[setting]}`];
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
