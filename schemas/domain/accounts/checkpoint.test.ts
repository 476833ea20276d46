import { describe, expect, it } from 'vitest';
import { checkpointStatus, checkpointTime, newestCheckpoint, recentAcquisitions } from './checkpoint.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 2, 1, 12, 30, 30);

/** Acquisitions so long before now. */
const ago = (...ages: number[]) => ages.map((age) => ({ asOf: NOW - age }));
const agesOf = (acquisitions: readonly { asOf: number }[] | null) => acquisitions?.map(({ asOf }) => NOW - asOf);

describe('of the acquisitions of an account', () => {
  it('the newest of each minute counts for an hour', () => {
    const all = ago(59 * MINUTE, 50 * SECOND, 40 * SECOND, 5 * SECOND, 20 * SECOND);
    expect(agesOf(recentAcquisitions(all, NOW))).toEqual([5 * SECOND, 40 * SECOND, 59 * MINUTE]);
  });

  it('the newest of each hour counts for a day', () => {
    // 10:29:30, 10:10:30, 09:50:30 and 13:30:30 of the day before.
    const all = ago(2 * HOUR + MINUTE, 2 * HOUR + 20 * MINUTE, 2 * HOUR + 40 * MINUTE, 23 * HOUR);
    expect(agesOf(recentAcquisitions(all, NOW))).toEqual([2 * HOUR + MINUTE, 2 * HOUR + 40 * MINUTE, 23 * HOUR]);
    expect(recentAcquisitions(ago(24 * HOUR + 1), NOW)).toEqual([]);
  });

  it('at most 84 count', () => {
    const all = Array.from({ length: 24 * 60 * 4 }, (_, nth) => ({ asOf: NOW - nth * 15 * SECOND }));
    expect(recentAcquisitions(all, NOW).length).toBeLessThanOrEqual(84);
    expect(recentAcquisitions([...all].reverse(), NOW)).toEqual(recentAcquisitions(all, NOW));
  });
});

describe('a checkpoint', () => {
  it('is the newest set of one acquisition of each account that are at most 60 s apart', () => {
    const [a, b] = [ago(10 * SECOND, 5 * MINUTE), ago(2 * MINUTE, 5 * MINUTE + 30 * SECOND, HOUR)];
    expect(agesOf(newestCheckpoint([a, b]))).toEqual([5 * MINUTE, 5 * MINUTE + 30 * SECOND]);
    expect(agesOf(newestCheckpoint([b, a]))).toEqual([5 * MINUTE + 30 * SECOND, 5 * MINUTE]);
  });

  it('contains the newest acquisition that goes with the others', () => {
    const [a, b] = [ago(10 * SECOND, 30 * SECOND), ago(40 * SECOND)];
    const checkpoint = newestCheckpoint([a, b])!;
    expect(agesOf(checkpoint)).toEqual([10 * SECOND, 40 * SECOND]);
    expect(checkpointTime(checkpoint)).toBe(NOW - 40 * SECOND);
  });

  it('accepts 60 s and no more, and needs each account', () => {
    expect(newestCheckpoint([ago(0), ago(MINUTE)])).not.toBeNull();
    expect(newestCheckpoint([ago(0), ago(MINUTE + 1)])).toBeNull();
    expect(newestCheckpoint([ago(0), []])).toBeNull();
  });

  it.each([
    [0, 'fresh'],
    [MINUTE, 'fresh'],
    [MINUTE + 1, 'cached_fresh'],
    [10 * MINUTE, 'cached_fresh'],
    [10 * MINUTE + 1, 'cached_stale'],
    [24 * HOUR, 'cached_stale'],
    [24 * HOUR + 1, null],
  ])('that is %d ms old is %s', (age, expected) => {
    expect(checkpointStatus(NOW - age, NOW)).toBe(expected);
  });
});
