import { createVenues } from './create-venues.ts';
import {
  createFaultBoard,
  type FaultBoard,
  type FaultControls,
  type FaultCounts,
  type FaultKind,
  type HttpTarget,
  type SocketTarget,
} from './faults/fault-board.ts';
import { faultsBetween, injectFault } from './faults/spontaneous-faults.ts';
import { createSimulation, type SimulationCounts, STEP_MS } from './simulation.ts';
import type { SimulatorUrls } from './simulator-urls.ts';
import { type Host, startHttpServer } from './sockets/http-host.ts';
import type { HubStats, SocketObserver } from './sockets/socket-hub.ts';
import { truthHost } from './truth/truth-host.ts';
import { NODE_PATH } from './venues/venue-a/create-venue-a.ts';
import type { ChainCounts } from './venues/venue-b/chain-feed.ts';
import type { Injection } from './world/injections.ts';
import { assertWorldTime, createWorld } from './world/world.ts';

/** Options of a simulator. */
export interface SimulatorOptions {
  /** Address to listen on; `127.0.0.1` by default. */
  readonly host?: string;
  /** 0, the default, chooses a free port. */
  readonly port?: number;
  readonly seed: number;
  /** Events per second: 1 to 20,000. */
  readonly rate: number;
  /** Number of questions that both venues ask. */
  readonly events: number;
  /** Number of coins of venue_a's main dex; at least 3. */
  readonly coins: number;
  /** Traders on venue_a's leaderboard; 5,000 by default. */
  readonly traders?: number;
  /** Accounts that trade on both venues; 400 by default. */
  readonly accounts?: number;
  /** Folder into which the self-hosted node of venue_a writes its files of fills; none by default. */
  readonly nodeData?: string | null;
  /** The minute over which the limits of venues count, ms; 60 s by default. */
  readonly minuteMs?: number;
  /** Injected anomalies, for tests of detectors. */
  readonly inject?: readonly Injection[];
  /** Kinds of faults that happen spontaneously. */
  readonly faults: readonly FaultKind[];
  /** Current time, unix ms; for tests. The world is simulated up to this time. */
  readonly wallClock?: () => number;
  /** Called with what happens on the sockets; for tests that compare it with what a client recorded. */
  readonly observer?: SocketObserver;
  /** Called with errors of handlers; by default prints a line on standard error. */
  readonly onError?: (error: unknown) => void;
}

export interface SimulatorStats extends Readonly<SimulationCounts>, Readonly<ChainCounts> {
  /** Time up to which the world is simulated, unix ms. */
  readonly simulatedUntilMs: number;
  readonly sockets: Readonly<Record<SocketTarget, HubStats & { readonly subscriptions: number }>>;
  /** How often each limit of venue_a was exceeded. */
  readonly limitsExceeded: Readonly<Record<string, number>>;
  readonly faults: FaultCounts;
  /** HTTP requests of clients, by interface. */
  readonly requests: Readonly<Partial<Record<HttpTarget, number>>>;
  /** How often the simulator lagged so much that it disconnected its clients and skipped to the current time. */
  readonly stalls: number;
}

export interface Simulator {
  readonly urls: SimulatorUrls;
  /** Base URL of the self-hosted node of venue_a. */
  readonly nodeUrl: string;
  readonly faults: FaultControls;
  stats(): Promise<SimulatorStats>;
  close(): Promise<void>;
}

/** Largest lag behind the clock before clients are disconnected. */
const MAX_LAG_MS = 15_000;
/**
 * Spontaneous faults of frames and answers pass after this time: otherwise they would add up, faster than a client that
 * waits longer after each failure uses them up, until none of its requests succeeds.
 */
const SPONTANEOUS_MS = 2_000;
/** Longest time for steps in one turn of the event loop. */
const TURN_MS = 25;
const MAX_REORG_DEPTH = 60;
const MAX_COINS = 1_000;

/** Thrown for options out of range. */
export class SimulatorOptionError extends Error {
  override name = 'SimulatorOptionError';
  readonly code = 'simulator_option';
  readonly canRetry = false;
}

function checkOptions({ rate, events, coins }: SimulatorOptions): void {
  const check = (name: string, value: number, least: number, most: number) => {
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new SimulatorOptionError(`${name} cannot be ${value}; accepted: a whole number from ${least} to ${most}`);
    }
  };
  check('rate', rate, 1, 20_000);
  check('events', events, 1, 10_000);
  check('coins', coins, 3, MAX_COINS);
}

/** Faults of the next frames or answers, if they are before `untilMs`. */
function countedFaults(board: FaultBoard, untilMs?: () => number) {
  return {
    malformed: async (target, count) => board.schedule('malformed', target, count, 0, untilMs?.()),
    duplicate: async (target, count) => board.schedule('duplicates', target, count, 0, untilMs?.()),
    errors: async (target, count, status = 500) => board.schedule('errors', target, count, status, untilMs?.()),
    rateLimit: async (target, count) => board.schedule('rate-limits', target, count, 0, untilMs?.()),
    slow: async (target, count, delayMs) => board.schedule('slow', target, count, delayMs, untilMs?.()),
  } satisfies Partial<FaultControls>;
}

/** Starts the simulated venues on loopback and simulates them in step with the clock. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  checkOptions(options);
  const clock = options.wallClock ?? Date.now;
  const onError = options.onError ?? ((error: unknown) => void process.stderr.write(`simulator: ${error}\n`));
  const world = createWorld(options);
  const startMs = Math.floor(clock() / STEP_MS) * STEP_MS;
  assertWorldTime(startMs);
  let nextMs = startMs;
  const now = () => nextMs - 1;
  const board = createFaultBoard(now);
  const { faults, nodeData = null, minuteMs, observer } = options;
  const spontaneousReorgs = faults.includes('reorgs');
  const venues = createVenues(world, board, now, { spontaneousReorgs, nodeData, minuteMs, observer }, onError);
  const simulation = createSimulation(world, venues.feeds);
  const host = options.host ?? '127.0.0.1';
  const hosts = [...venues.hosts, metricsHost(venues.limitsExceeded), truthHost(world, venues.accountsOfVenueB, now)];
  const server = await startHttpServer({ host, port: options.port ?? 0 }, hosts, venues.sockets, board, onError);
  let stalls = 0;

  const controls: FaultControls = {
    disconnectAll: async (target) => venues.hubs[target].disconnectAll(),
    refuse: async (target, durationMs) => venues.hubs[target].refuse(durationMs),
    silence: async (target, durationMs) => venues.hubs[target].silence(durationMs),
    ...countedFaults(board),
    cutOff: async (target, count) => board.schedule('export-cut-off', target, count),
    incomplete: async (target, count) => board.schedule('incomplete', target, count),
    clear: async (target) => board.clear(target),
    async nodeStale(durationMs) {
      board.count('node-stale', 'venue_a.node');
      venues.node.freeze(durationMs);
    },
    async reorg(depth) {
      if (!Number.isInteger(depth) || depth < 1 || depth > MAX_REORG_DEPTH) {
        throw new SimulatorOptionError(
          `depth cannot be ${depth}; accepted: a whole number from 1 to ${MAX_REORG_DEPTH}`,
        );
      }
      board.count('reorgs', 'venue_b.chain');
      venues.chainFeed.reorg(depth, now());
      venues.flush();
    },
  };

  const spontaneous: FaultControls = { ...controls, ...countedFaults(board, () => now() + SPONTANEOUS_MS) };
  const runFaults = (fromMs: number, toMs: number) => {
    for (const due of faultsBetween(world.settings.seed, options.faults, fromMs, toMs)) {
      injectFault(spontaneous, due).catch(onError);
    }
  };
  /** Runs the steps up to the current time. True if it has caught up. */
  const advance = (): boolean => {
    const untilMs = Math.floor(clock() / STEP_MS) * STEP_MS;
    if (untilMs - nextMs > MAX_LAG_MS) {
      // Clients would miss the skipped updates, so they must reconnect.
      stalls += 1;
      venues.terminateAll();
      nextMs = untilMs;
    }
    const fromMs = nextMs;
    const turnEnds = performance.now() + TURN_MS;
    while (nextMs < untilMs && performance.now() < turnEnds) {
      const stepMs = nextMs;
      nextMs += STEP_MS;
      simulation.runStep(stepMs);
    }
    if (options.faults.length > 0) runFaults(fromMs, nextMs);
    venues.flush();
    return nextMs >= untilMs;
  };
  const pace = startPacing(advance, onError);

  const base = `${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  return {
    urls: venues.urls(base),
    nodeUrl: `http://${base}${NODE_PATH}`,
    faults: controls,
    stats: async () => ({
      ...simulation.counts,
      ...venues.chainFeed.counts,
      simulatedUntilMs: nextMs,
      sockets: venues.socketStats(),
      limitsExceeded: venues.limitsExceeded(),
      faults: board.counts(),
      requests: board.requests(),
      stalls,
    }),
    async close() {
      pace.stop();
      await venues.close();
      await server.close();
    },
  };
}

/** `GET /metrics`, for Prometheus. */
function metricsHost(limitsExceeded: () => Readonly<Record<string, number>>): Host {
  const name = 'parallax_simulator_limit_exceeded_total';
  const help = `# HELP ${name} How often a limit of a venue was exceeded.\n# TYPE ${name} counter\n`;
  const lines = () => Object.entries(limitsExceeded()).map(([limit, times]) => `${name}{limit="${limit}"} ${times}\n`);
  const headers = { 'content-type': 'text/plain; version=0.0.4' };
  return { prefix: '/metrics', target: null, answer: () => ({ status: 200, text: help + lines().join(''), headers }) };
}

/** Calls `advance` every step, and in every turn of the event loop while it has not caught up. */
function startPacing(advance: () => boolean, onError: (error: unknown) => void): { stop(): void } {
  let timer: NodeJS.Timeout | null = null;
  let turn: NodeJS.Immediate | null = null;
  let isStopped = false;
  const run = () => {
    if (isStopped) return;
    let caughtUp = true;
    try {
      caughtUp = advance();
    } catch (error) {
      onError(error);
    }
    if (caughtUp) timer = setTimeout(run, STEP_MS);
    else turn = setImmediate(run);
  };
  timer = setTimeout(run, STEP_MS);
  return {
    stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      if (turn) clearImmediate(turn);
    },
  };
}
