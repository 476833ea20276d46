/**
 * Kinds and targets of faults, and a board that schedules and counts them. Sockets, HTTP hosts and the chain apply
 * them.
 */
import type { HttpSource, SocketSource } from '#schemas/venues/streams';

/** Interfaces of the simulated venues, with the names of recordings. */
export type SocketTarget = SocketSource;
/** The self-hosted node of venue_a has no raw topic of its responses. */
export type HttpTarget = HttpSource | 'venue_a.node';
export type Target = SocketTarget | HttpTarget;

/** Kinds of faults: the values of `--sim-faults`, and `incomplete`. */
const FAULT_KINDS = [
  'disconnects',
  'refusals',
  'silence',
  'malformed',
  'incomplete',
  'duplicates',
  'reorgs',
  'errors',
  'rate-limits',
  'slow',
  'export-cut-off',
  'node-stale',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Number of applied faults by kind and target: `{malformed: {'venue_a.ws': 3}}`. */
export type FaultCounts = Partial<Record<FaultKind, Partial<Record<Target | 'venue_b.chain', number>>>>;

/** Applies faults on demand. Each call resolves when the fault is in effect or, for counted faults, scheduled. */
export interface FaultControls {
  /** Ends every open socket of the target, after what was sent to it. */
  disconnectAll(target: SocketTarget): Promise<void>;
  /** For `durationMs` new connections are refused with 503. */
  refuse(target: SocketTarget, durationMs: number): Promise<void>;
  /** For `durationMs` open and new sockets send nothing, not even pongs; then they are closed. */
  silence(target: SocketTarget, durationMs: number): Promise<void>;
  /** Sends a malformed copy after each of the next `count` frames, or instead of the next `count` HTTP answers. */
  malformed(target: Target, count: number): Promise<void>;
  /** Leaves one figure out of each of the next `count` HTTP answers, everywhere in it; another one each time. */
  incomplete(target: HttpTarget, count: number): Promise<void>;
  /** Sends each of the next `count` frames twice; on `venue_b.rpc` also the logs of the next `count` answers. */
  duplicate(target: SocketTarget, count: number): Promise<void>;
  /** Replaces the newest `depth` (1 to 60) blocks. */
  reorg(depth: number): Promise<void>;
  /** Answers the next `count` HTTP requests with this status (default 500). */
  errors(target: HttpTarget, count: number, status?: number): Promise<void>;
  /** Answers the next `count` HTTP requests with 429. */
  rateLimit(target: HttpTarget, count: number): Promise<void>;
  /** Delays the next `count` HTTP answers by `delayMs`. */
  slow(target: HttpTarget, count: number, delayMs: number): Promise<void>;
  /** Closes the connection in the middle of the next `count` HTTP answers. */
  cutOff(target: HttpTarget, count: number): Promise<void>;
  /** Ends all faults of the target that are scheduled and have not happened yet. */
  clear(target: Target): Promise<void>;
  /** For `durationMs` the clock of venue_a's self-hosted node stands still, and it writes no fills; then it catches up. */
  nodeStale(durationMs: number): Promise<void>;
}

/** Faults to apply to one HTTP answer. */
export interface HttpFault {
  readonly delayMs: number;
  /** Answer with this status instead. */
  readonly status: number | null;
  readonly isBroken: boolean;
  /** The number of the figure that is left out; null for a complete answer. */
  readonly missing: number | null;
  readonly isCutOff: boolean;
}

export interface FaultBoard {
  /** Number of HTTP requests so far by target. */
  requests(): Readonly<Partial<Record<HttpTarget, number>>>;
  count(kind: FaultKind, target: Target | 'venue_b.chain'): void;
  counts(): FaultCounts;
  /** Schedules a fault for the next `count` frames or answers of the target, if they are before `untilMs`. */
  schedule(kind: FaultKind, target: Target, count: number, value?: number, untilMs?: number): void;
  /** Ends what is scheduled for the target. */
  clear(target: Target): void;
  /** True if the fault applies to the next frame or answer. Counts it. */
  consume(kind: FaultKind, target: Target): boolean;
  /** @param target null for what no fault applies to. */
  consumeHttp(target: HttpTarget | null): HttpFault;
}

const NONE: HttpFault = { delayMs: 0, status: null, isBroken: false, missing: null, isCutOff: false };

/** @param now simulated time, unix ms. */
export function createFaultBoard(now: () => number): FaultBoard {
  const counts: FaultCounts = {};
  const requests: Partial<Record<HttpTarget, number>> = {};
  const scheduled = new Map<string, { left: number; value: number; untilMs: number }>();
  const count = (kind: FaultKind, target: Target | 'venue_b.chain') => {
    counts[kind] ??= {};
    counts[kind][target] = (counts[kind][target] ?? 0) + 1;
  };
  const consumeScheduled = (kind: FaultKind, target: Target): { value: number } | null => {
    const key = `${kind} ${target}`;
    const order = scheduled.get(key);
    if (!order) return null;
    if (now() >= order.untilMs) {
      scheduled.delete(key);
      return null;
    }
    order.left -= 1;
    if (order.left <= 0) scheduled.delete(key);
    count(kind, target);
    return order;
  };
  return {
    count,
    counts: () => structuredClone(counts),
    requests: () => ({ ...requests }),
    schedule(kind, target, wanted, value = 0, untilMs = Number.POSITIVE_INFINITY) {
      const key = `${kind} ${target}`;
      const earlier = scheduled.get(key);
      const left = (earlier && now() < earlier.untilMs ? earlier.left : 0) + wanted;
      if (left > 0) scheduled.set(key, { left, value, untilMs });
    },
    clear(target) {
      for (const kind of FAULT_KINDS) scheduled.delete(`${kind} ${target}`);
    },
    consume: (kind, target) => consumeScheduled(kind, target) !== null,
    consumeHttp(target) {
      if (target === null) return NONE;
      requests[target] = (requests[target] ?? 0) + 1;
      if (scheduled.size === 0) return NONE;
      const delayMs = consumeScheduled('slow', target)?.value ?? 0;
      const failed = consumeScheduled('errors', target);
      if (failed) return { ...NONE, delayMs, status: failed.value };
      if (consumeScheduled('rate-limits', target)) return { ...NONE, delayMs, status: 429 };
      const isCutOff = consumeScheduled('export-cut-off', target) !== null;
      const isBroken = !isCutOff && consumeScheduled('malformed', target) !== null;
      const isIncomplete = !isCutOff && !isBroken && consumeScheduled('incomplete', target) !== null;
      const missing = isIncomplete ? counts.incomplete![target]! : null;
      return { delayMs, status: null, isCutOff, isBroken, missing };
    },
  };
}

/** Returns a truncated copy of a frame, which is never valid JSON. */
export function brokenCopy(frame: Buffer): Buffer {
  return frame.subarray(0, Math.max(1, Math.floor(frame.length * 0.6)));
}

/** Returns a copy of an answer in JSON without its `nth` figure (numbers, and text with one), in every object that has it. */
export function incompleteCopy(answer: Buffer, nth: number): Buffer {
  const figures = new Set<string>();
  JSON.parse(answer.toString(), (key, value) => {
    if (key !== '' && !/^\d+$/.test(key) && isFigure(value)) figures.add(key);
    return value;
  });
  const missing = [...figures][nth % Math.max(1, figures.size)];
  const copy = JSON.parse(answer.toString(), (key, value) => (key === missing ? undefined : value));
  return Buffer.from(JSON.stringify(copy));
}

const isFigure = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && Number.isFinite(Number(value)));
