/**
 * The arbitrage of each kind of one event, the best first: that with the larger net edge, of equal ones the first by kind.
 *
 * @param netEdgeOf exact, or as clients receive it.
 */
export function bestFirst<Edge extends { readonly kind: string }>(
  edges: Iterable<Edge>,
  netEdgeOf: (edge: Edge) => bigint | number,
): Edge[] {
  return [...edges].sort((one, other) => {
    const [first, second] = [netEdgeOf(one), netEdgeOf(other)];
    if (first === second) return one.kind < other.kind ? -1 : 1;
    return first > second ? -1 : 1;
  });
}
