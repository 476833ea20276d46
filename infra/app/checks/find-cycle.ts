/**
 * A cycle of a directed graph as the nodes along it, the first one repeated at the end; null if there is none.
 *
 * @param edges the nodes that each node points to; nodes that are missing point to none.
 */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): string[] | null {
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): string[] | null => {
    if (finished.has(node)) return null;
    const seenAt = path.indexOf(node);
    if (seenAt >= 0) return [...path.slice(seenAt), node];
    path.push(node);
    for (const next of edges.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    path.pop();
    finished.add(node);
    return null;
  };
  for (const node of edges.keys()) {
    const cycle = visit(node);
    if (cycle) return cycle;
  }
  return null;
}
