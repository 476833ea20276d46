/**
 * Orders the fills of one instrument and millisecond: each states the position before it, which is the position after
 * the fill before. A fill is an edge between two positions, and the order is a path through all of them with the fewest
 * breaks; where several fills continue it equally well, the lowest tie comes first.
 */
import type { Decimal } from '../decimal.ts';
import type { Fill } from './events.ts';
import { isRounding, movedBy } from './fills.ts';

/** So many fills are compared between two slices. */
const SLICE_FILLS = 10_000;

interface Edge {
  readonly fill: Fill;
  readonly from: number;
  readonly to: number;
}

/**
 * Orders fills, sorted by tie, that all state their position, in slices: a break among n fills compares n² of them.
 * @param position that of the account before them.
 */
export function* chainFills(fills: readonly Fill[], position: Decimal): Generator<undefined, Fill[]> {
  const nodeOf = positionNodes([position, ...fills.flatMap((fill) => [startOf(fill), endOf(fill)])]);
  const left: Edge[] = fills.map((fill) => ({ fill, from: nodeOf(startOf(fill)), to: nodeOf(endOf(fill)) }));
  const ordered: Fill[] = [];
  const slice = { compared: 0 };
  for (let current = nodeOf(position); left.length > 0; ) {
    const next = yield* nextEdge(left, current, slice);
    left.splice(left.indexOf(next), 1);
    ordered.push(next.fill);
    current = next.to;
  }
  return ordered;
}

function* nextEdge(left: readonly Edge[], current: number, slice: { compared: number }): Generator<undefined, Edge> {
  const continuing = left.filter(({ from }) => from === current);
  if (continuing.length === 1) return continuing[0]!;
  const isBreak = continuing.length === 0;
  const candidates = isBreak ? left : continuing;
  const fewest = breaksOf(left, current) - (isBreak ? 1 : 0);
  for (const candidate of candidates) {
    slice.compared += left.length;
    if (slice.compared >= SLICE_FILLS) {
      slice.compared = 0;
      yield;
    }
    const others = left.filter((edge) => edge !== candidate);
    if (breaksOf(others, candidate.to) === fewest) return candidate;
  }
  return candidates[0]!;
}

/** Returns how often a path that begins at `current` must break to contain all edges. */
function breaksOf(edges: readonly Edge[], current: number): number {
  const surplus = new Map<number, number>();
  const parents = new Map<number, number>();
  for (const { from, to } of edges) {
    surplus.set(from, (surplus.get(from) ?? 0) + 1);
    surplus.set(to, (surplus.get(to) ?? 0) - 1);
    parents.set(rootOf(parents, from), rootOf(parents, to));
  }
  // Each part of the graph needs a path for each edge that leaves a node without one that arrives, and at least one.
  const paths = new Map<number, number>();
  for (const [node, more] of surplus) {
    const root = rootOf(parents, node);
    paths.set(root, (paths.get(root) ?? 0) + Math.max(0, more));
  }
  let breaks = 0;
  for (const count of paths.values()) breaks += Math.max(1, count);
  const isFree = surplus.has(current) && (surplus.get(current)! > 0 || paths.get(rootOf(parents, current)) === 0);
  return isFree ? breaks - 1 : breaks;
}

function rootOf(parents: Map<number, number>, node: number): number {
  let at = node;
  for (;;) {
    const parent = parents.get(at);
    if (parent === undefined || parent === at) return at;
    // Later searches skip every second step.
    const next = parents.get(parent) ?? parent;
    parents.set(at, next);
    at = next;
  }
}

/** Numbers positions; those that differ only by the venue's rounding get the same number. */
function positionNodes(positions: readonly Decimal[]): (position: Decimal) => number {
  const sorted = [...new Set(positions)].sort((a, b) => (a < b ? -1 : 1));
  const nodes = new Map<Decimal, number>();
  let node = 0;
  for (const [at, position] of sorted.entries()) {
    if (at > 0 && !isRounding(position - sorted[at - 1]!, position)) node += 1;
    nodes.set(position, node);
  }
  return (position) => nodes.get(position)!;
}

function startOf({ startPosition }: Fill): Decimal {
  return startPosition!;
}

function endOf(fill: Fill): Decimal {
  return (startOf(fill) + movedBy(fill)) as Decimal;
}
