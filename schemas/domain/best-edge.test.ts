import { expect, it } from 'vitest';
import { bestFirst } from './best-edge.ts';

const edge = (kind: string, netEdge: bigint | number) => ({ kind, netEdge });

it.each([
  ['the larger net edge', [edge('a', -0.2), edge('b', 0.01)], ['b', 'a']],
  ['the larger one of exact net edges', [edge('a', 1n), edge('b', 10n ** 18n + 1n)], ['b', 'a']],
  ['of equal net edges, the first by kind', [edge('b', 0.01), edge('a', 0.01)], ['a', 'b']],
  ['nothing without arbitrage', [], []],
] as const)('puts first %s', (_, edges, kinds) => {
  expect(
    bestFirst<{ kind: string; netEdge: bigint | number }>(edges, ({ netEdge }) => netEdge).map(({ kind }) => kind),
  ).toEqual(kinds);
});
