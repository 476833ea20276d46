import { describe, expect, it } from 'vitest';
import { estimateBacklog } from './backlog.ts';

const sample = (seconds: number, lagMs: number, processed: number, remaining: number | null) => ({
  at: seconds * 1_000,
  lagMs,
  processed,
  remaining,
});

describe('a backlog', () => {
  it('estimates the remaining time from how fast the lag shrinks in the samples', () => {
    const samples = [sample(0, 105_000, 100, 50_000), sample(5, 80_000, 25_100, 40_000), sample(10, 63_000, 50_100, 3)];
    expect(estimateBacklog('spreads', 63_249, samples)).toEqual({
      stage: 'spreads',
      lagSeconds: 63.2,
      records: 3,
      recordsPerSecond: 5_000,
      secondsLeft: 16,
    });
  });

  it.each([
    [
      'grows',
      [sample(0, 6_000, 0, 10), sample(1, 6_000, 500, 700)],
      { records: 700, recordsPerSecond: 500, secondsLeft: null },
    ],
    ['was seen once', [sample(0, 6_000, 0, 10)], { records: 10, recordsPerSecond: null, secondsLeft: null }],
    [
      'was seen for less than five seconds',
      [sample(0, 40_000, 0, 900), sample(2, 30_000, 5, 600), sample(4.9, 20_000, 490, 369)],
      { records: 369, recordsPerSecond: 100, secondsLeft: null },
    ],
    [
      'begins to shrink',
      [sample(0, 20_000, 0, 9), sample(5, 21_000, 5, 9), sample(10, 6_000, 100, 9)],
      { recordsPerSecond: 10, secondsLeft: null },
    ],
    [
      'shrinks at a pace that changes much',
      [sample(0, 60_000, 0, 369), sample(5, 59_000, 140, 369), sample(10, 6_000, 280, 369)],
      { records: 369, recordsPerSecond: 28, secondsLeft: null },
    ],
    [
      'has an unknown record count',
      [sample(0, 5_000, 0, null), sample(1, 6_000, 5, null)],
      { records: null, recordsPerSecond: 5, secondsLeft: null },
    ],
  ])('has no estimated end if it %s', (_what, samples, expected) => {
    expect(estimateBacklog('spreads', 6_000, samples)).toMatchObject(expected);
  });
});
