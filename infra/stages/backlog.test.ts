import { describe, expect, it } from 'vitest';
import { estimateBacklog } from './backlog.ts';

const sample = (seconds: number, taken: number, left: number | null) => ({ at: seconds * 1_000, taken, left });

describe('a backlog', () => {
  it('ends after as long as it takes to shrink to nothing at the pace of the samples', () => {
    const samples = [sample(0, 100, 50_000), sample(2, 10_100, 40_000), sample(4, 20_100, 30_000)];
    expect(estimateBacklog('spreads', 63_249, samples)).toEqual({
      stage: 'spreads',
      lagSeconds: 63.2,
      records: 30_000,
      recordsPerSecond: 5_000,
      secondsLeft: 6,
    });
  });

  it.each([
    ['grows', [sample(0, 0, 10), sample(1, 500, 700)], { records: 700, recordsPerSecond: 500, secondsLeft: null }],
    ['was seen once', [sample(0, 0, 10)], { records: 10, recordsPerSecond: null, secondsLeft: null }],
    [
      'is not known',
      [sample(0, 0, null), sample(1, 5, null)],
      { records: null, recordsPerSecond: 5, secondsLeft: null },
    ],
  ])('that %s has no known end', (_what, samples, expected) => {
    expect(estimateBacklog('spreads', 6_000, samples)).toMatchObject(expected);
  });
});
