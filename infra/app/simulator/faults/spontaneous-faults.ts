import { EXPORT_TOPICS } from '#schemas/topics/raw';
import { HTTP_SOURCES, SOCKET_SOURCES } from '#schemas/venues/streams';
import { hashOf, STREAM } from '../world/hash.ts';
import type { FaultControls, FaultKind, HttpTarget, SocketTarget } from './fault-board.ts';

/** Faults that happen at times of the seed. The chain generates reorganizations itself, and answers are incomplete only on demand. */
type SpontaneousKind = Exclude<FaultKind, 'reorgs' | 'incomplete'>;

/** Period of each spontaneous fault per target: it happens once per period, at a pseudo-random time. */
const TERM_MS: Readonly<Record<SpontaneousKind, number>> = {
  disconnects: 30_000,
  refusals: 60_000,
  silence: 120_000,
  malformed: 5_000,
  duplicates: 5_000,
  errors: 15_000,
  'rate-limits': 45_000,
  slow: 20_000,
  'export-cut-off': 1_800_000,
  'node-stale': 60_000,
};
const TICK_MS = 100;

/** Targets of a kind. Their order must not change, since it is part of the hash. */
function targetsOf(kind: FaultKind): readonly string[] {
  if (kind === 'node-stale') return ['venue_a.node'];
  const isHttp = kind === 'errors' || kind === 'rate-limits' || kind === 'slow' || kind === 'export-cut-off';
  return isHttp ? HTTP_SOURCES : SOCKET_SOURCES;
}

/** Exports are requested so rarely that other faults than their own would add up until no request succeeds. */
function canHappen(kind: FaultKind, target: string): boolean {
  return EXPORT_TOPICS.has(`raw.${target}`) === (kind === 'export-cut-off');
}

/** A fault that is due. */
export interface DueFault {
  readonly kind: SpontaneousKind;
  readonly target: string;
  readonly chance: number;
}

/**
 * Returns the spontaneous faults in [fromMs, toMs), a function of seed and time. The chain generates reorganizations
 * itself.
 */
export function faultsBetween(seed: number, kinds: readonly FaultKind[], fromMs: number, toMs: number): DueFault[] {
  const due: DueFault[] = [];
  for (const kind of kinds) {
    if (kind === 'reorgs' || kind === 'incomplete') continue;
    const termMs = TERM_MS[kind];
    for (const [nth, target] of targetsOf(kind).entries()) {
      if (!canHappen(kind, target)) continue;
      for (let term = Math.floor(fromMs / termMs); term * termMs < toMs; term += 1) {
        const chance = hashOf(seed, STREAM.fault, term, kind.length * 64 + nth);
        const atMs = term * termMs + (chance % (termMs / TICK_MS)) * TICK_MS;
        if (atMs >= fromMs && atMs < toMs) due.push({ kind, target, chance: chance >>> 12 });
      }
    }
  }
  return due;
}

/** Applies a due fault. */
export async function injectFault(controls: FaultControls, { kind, target, chance }: DueFault): Promise<void> {
  const socket = target as SocketTarget;
  const http = target as HttpTarget;
  switch (kind) {
    case 'disconnects':
      return controls.disconnectAll(socket);
    case 'refusals':
      return controls.refuse(socket, 1_000 + (chance % 5_000));
    case 'silence':
      // Longer than usual heartbeat timeouts, so that clients notice it.
      return controls.silence(socket, 30_000 + (chance % 20_000));
    case 'malformed':
      return controls.malformed(socket, 1 + (chance % 3));
    case 'duplicates':
      return controls.duplicate(socket, 1 + (chance % 5));
    case 'errors':
      return controls.errors(http, 1 + (chance % 3), [500, 502, 503][chance % 3]);
    case 'rate-limits':
      return controls.rateLimit(http, 1 + (chance % 4));
    case 'slow':
      return controls.slow(http, 1 + (chance % 3), 1_000 + (chance % 5_000));
    case 'export-cut-off':
      return controls.cutOff(http, 1);
    case 'node-stale':
      // Longer than the ten seconds after which a node counts as stale.
      return controls.nodeStale(15_000 + (chance % 15_000));
  }
}
