import { describe, expect, it } from 'vitest';
import { findCycle } from './find-cycle.ts';

const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

describe('findCycle', () => {
  it('returns null for a graph without cycles', () => {
    expect(findCycle(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toBeNull();
  });

  it('returns the nodes along a cycle, wherever it begins', () => {
    expect(findCycle(graph({ a: ['b'], b: ['c'], c: ['d'], d: ['b'] }))).toEqual(['b', 'c', 'd', 'b']);
    expect(findCycle(graph({ a: ['a'] }))).toEqual(['a', 'a']);
  });
});
