import type { FaultBoard, SocketTarget } from '../faults/fault-board.ts';
import type { SimulatedFeed } from '../simulation.ts';
import type { SimulatorUrls } from '../simulator-urls.ts';
import type { Host } from '../sockets/http-host.ts';
import type { SocketHub, SocketObserver } from '../sockets/socket-hub.ts';
import type { World } from '../world/world.ts';

/** What a simulated venue is created from. */
export interface VenueContext {
  readonly world: World;
  readonly board: FaultBoard;
  /** Path of each interface on the simulator's server. */
  readonly paths: Readonly<Record<keyof SimulatorUrls, string>>;
  /** Returns the time up to which the world is simulated. */
  readonly now: () => number;
  /** True if the chain is reorganized spontaneously. */
  readonly spontaneousReorgs: boolean;
  /** Folder into which the self-hosted node of venue_a writes; null for none. */
  readonly nodeData: string | null;
  /** The minute over which limits count, ms; 60 s by default. */
  readonly minuteMs?: number | undefined;
  /** Called with what happens on the sockets; nothing by default. */
  readonly observer?: SocketObserver | undefined;
  /** Called with errors of handlers. */
  readonly onError: (error: unknown) => void;
}

/** A WebSocket of a simulated venue. */
export interface SimulatedSocket {
  readonly path: string;
  readonly target: SocketTarget;
  readonly hub: SocketHub;
  /** Returns the number of subscriptions of all clients. */
  readonly subscriptions: () => number;
}

/** The interfaces of a simulated venue, and what it publishes without a request. */
export interface SimulatedVenue {
  readonly feeds: readonly SimulatedFeed[];
  /** A host whose path starts with another host's path must come first. */
  readonly hosts: readonly Host[];
  readonly sockets: readonly SimulatedSocket[];
  /** Ends what the venue does besides. */
  readonly close?: () => Promise<void>;
  /** Returns how often each limit of the venue was exceeded; one without it enforces none. */
  readonly limitsExceeded?: () => Readonly<Record<string, number>>;
}
