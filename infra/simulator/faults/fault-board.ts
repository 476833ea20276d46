/** What can go wrong, and where. The board only keeps count; sockets, HTTP hosts and the chain ask it. */

/** The simulated venues' interfaces, named as recordings name them. */
export const SOCKET_TARGETS = ['venue_a.ws', 'venue_b.clob_ws', 'venue_b.rpc'] as const;
export type SocketTarget = (typeof SOCKET_TARGETS)[number];
export const HTTP_TARGETS = [
  'venue_a.info',
  'venue_a.stats',
  'venue_b.gamma',
  'venue_b.clob',
  'venue_b.data',
  'venue_b.pnl',
  'venue_b.rpc',
] as const;
export type HttpTarget = (typeof HTTP_TARGETS)[number];
export type Target = SocketTarget | HttpTarget;

/** Words of `--sim-faults`. */
export const FAULT_KINDS = [
  'disconnects',
  'silence',
  'malformed',
  'duplicates',
  'reorgs',
  'errors',
  'rate-limits',
  'slow',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How often each fault was put in, by kind and target: `{malformed: {'venue_a.ws': 3}}`. */
export type FaultCounts = Partial<Record<FaultKind, Partial<Record<Target | 'venue_b.chain', number>>>>;

/** Faults on demand. Each resolves when the fault is in effect or, for counted ones, waiting for its next victims. */
export interface FaultControls {
  /** Cuts every open socket of the target. */
  disconnectAll(target: SocketTarget): Promise<void>;
  /** For `durationMs` open and new sockets say nothing, not even pongs; then they are cut. */
  silence(target: SocketTarget, durationMs: number): Promise<void>;
  /** After each of the next `count` frames (or in place of the next `count` HTTP answers) comes a broken copy. */
  malformed(target: Target, count: number): Promise<void>;
  /** Each of the next `count` frames is sent twice; on `venue_b.rpc` the logs of the next `count` answers too. */
  duplicate(target: SocketTarget, count: number): Promise<void>;
  /** Replaces the newest `depth` (1 to 60) blocks. */
  reorg(depth: number): Promise<void>;
  /** The next `count` HTTP answers are this status (default 500). */
  errors(target: HttpTarget, count: number, status?: number): Promise<void>;
  /** The next `count` HTTP answers are 429. */
  rateLimit(target: HttpTarget, count: number): Promise<void>;
  /** The next `count` HTTP answers come `delayMs` late. */
  slow(target: HttpTarget, count: number, delayMs: number): Promise<void>;
}

/** What is to be done to one HTTP answer. */
export interface HttpFault {
  readonly delayMs: number;
  /** Answer with this status instead. */
  readonly status: number | null;
  readonly isBroken: boolean;
}

export interface FaultBoard {
  count(kind: FaultKind, target: Target | 'venue_b.chain'): void;
  counts(): FaultCounts;
  /** Lets the next `count` things of the target suffer. */
  schedule(kind: FaultKind, target: Target, count: number, value?: number): void;
  /** Whether the next thing is to suffer; counts it. */
  consume(kind: FaultKind, target: Target): boolean;
  consumeHttp(target: HttpTarget): HttpFault;
}

const NONE: HttpFault = { delayMs: 0, status: null, isBroken: false };

export function createFaultBoard(): FaultBoard {
  const counts: FaultCounts = {};
  const scheduled = new Map<string, { left: number; value: number }>();
  const count = (kind: FaultKind, target: Target | 'venue_b.chain') => {
    counts[kind] ??= {};
    counts[kind][target] = (counts[kind][target] ?? 0) + 1;
  };
  const consumeScheduled = (kind: FaultKind, target: Target): { value: number } | null => {
    const key = `${kind} ${target}`;
    const order = scheduled.get(key);
    if (!order) return null;
    order.left -= 1;
    if (order.left <= 0) scheduled.delete(key);
    count(kind, target);
    return order;
  };
  return {
    count,
    counts: () => structuredClone(counts),
    schedule(kind, target, wanted, value = 0) {
      const key = `${kind} ${target}`;
      const left = (scheduled.get(key)?.left ?? 0) + wanted;
      if (left > 0) scheduled.set(key, { left, value });
    },
    consume: (kind, target) => consumeScheduled(kind, target) !== null,
    consumeHttp(target) {
      if (scheduled.size === 0) return NONE;
      const delayMs = consumeScheduled('slow', target)?.value ?? 0;
      const failed = consumeScheduled('errors', target);
      if (failed) return { delayMs, status: failed.value, isBroken: false };
      if (consumeScheduled('rate-limits', target)) return { delayMs, status: 429, isBroken: false };
      return { delayMs, status: null, isBroken: consumeScheduled('malformed', target) !== null };
    },
  };
}

/** A broken copy of a frame: cut off in its middle, so that it can never be read as JSON. */
export function brokenCopy(frame: Buffer): Buffer {
  return frame.subarray(0, Math.max(1, Math.floor(frame.length * 0.6)));
}
