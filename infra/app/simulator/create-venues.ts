import { UPSTREAMS, type UpstreamSetting } from '#schemas/venues/streams';
import type { FaultBoard, SocketTarget } from './faults/fault-board.ts';
import type { SimulatedFeed } from './simulation.ts';
import type { SimulatorUrls } from './simulator-urls.ts';
import type { Host, SocketHost } from './sockets/http-host.ts';
import type { HubStats, SocketHub } from './sockets/socket-hub.ts';
import { createSimulatedVenues } from './venues/index.ts';
import type { SimulatedVenue, VenueContext } from './venues/simulated-venue.ts';
import type { SimulatedNode } from './venues/venue-a/node.ts';
import type { ChainFeed } from './venues/venue-b/chain-feed.ts';
import type { SimulatedAccountsB } from './venues/venue-b/create-venue-b.ts';
import type { World } from './world/world.ts';

/** Path of each URL on the simulator: `/<venue>.<stream>`. */
const PATHS = Object.fromEntries(
  Object.values(UPSTREAMS).map(({ setting, source }) => [setting, `/${source}`]),
) as Readonly<Record<UpstreamSetting, string>>;

/** All venues of one world: their HTTP hosts, their frames and their sockets. */
export interface Venues {
  readonly feeds: readonly SimulatedFeed[];
  readonly chainFeed: ChainFeed;
  readonly accountsOfVenueB: SimulatedAccountsB;
  readonly node: SimulatedNode;
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
  /** How often each limit of a venue was exceeded. */
  limitsExceeded(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Creates all venues. `now` returns the time up to which the world is simulated; `onError` is called with errors of
 * handlers.
 */
export function createVenues(
  world: World,
  board: FaultBoard,
  now: () => number,
  options: Pick<VenueContext, 'spontaneousReorgs' | 'nodeData' | 'minuteMs' | 'observer'>,
  onError: (error: unknown) => void,
): Venues {
  const venues = createSimulatedVenues({ world, board, paths: PATHS, now, ...options, onError });
  const all: readonly SimulatedVenue[] = Object.values(venues);
  const sockets = all.flatMap((venue) => venue.sockets);
  const byTarget = <T>(pick: (socket: (typeof sockets)[number]) => T) =>
    Object.fromEntries(sockets.map((socket) => [socket.target, pick(socket)])) as Record<SocketTarget, T>;
  return {
    feeds: all.flatMap(({ feeds }) => feeds),
    chainFeed: venues.venue_b.chainFeed,
    accountsOfVenueB: venues.venue_b.accounts,
    node: venues.venue_a.node,
    hubs: byTarget(({ hub }) => hub),
    hosts: all.flatMap(({ hosts }) => hosts),
    sockets: sockets.map(({ path, hub }) => ({ path, upgrade: hub.upgrade })),
    urls(base) {
      const entries = Object.values(UPSTREAMS).map(({ setting, protocols: [protocol] }) => {
        return [setting, `${protocol}://${base}${PATHS[setting]}`];
      });
      return Object.fromEntries(entries) as SimulatorUrls;
    },
    flush() {
      for (const { hub } of sockets) hub.flush();
    },
    terminateAll() {
      for (const { hub } of sockets) hub.terminateAll();
    },
    socketStats: () => byTarget(({ hub, subscriptions }) => ({ ...hub.stats(), subscriptions: subscriptions() })),
    limitsExceeded: () => Object.assign({}, ...all.map((venue) => venue.limitsExceeded?.())),
    async close() {
      await Promise.all([...sockets.map(({ hub }) => hub.close()), ...all.map(({ close }) => close?.())]);
    },
  };
}
