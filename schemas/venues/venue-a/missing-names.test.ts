import { describe, expect, it } from 'vitest';
import { findGone, findUnconfirmed, LAG_MAX_MS, type MissingSince, UNCHANGED_MS } from './missing-names.ts';

const KNOWN = ['A', 'B', 'C'];
/** Processes lists that were received at times, and returns what is gone with each. */
function gone(lists: readonly (readonly [at: number, listed: readonly string[]])[], missing: MissingSince = new Map()) {
  return lists.map(([at, listed]) => findGone(missing, KNOWN, new Set(listed), at));
}

describe('a name that complete lists lack', () => {
  it('is gone with the first list that lacks it ten seconds after another one', () => {
    expect(
      gone([
        [1_000, ['A', 'B']],
        [1_000 + LAG_MAX_MS - 1, ['A', 'B']],
        [1_000 + LAG_MAX_MS, ['A', 'B']],
      ]),
    ).toEqual([[], [], ['C']]);
  });

  it('is not gone if a list between them contains it', () => {
    const lists = [
      [0, ['A', 'B']],
      [5_000, KNOWN],
      [LAG_MAX_MS, ['A', 'B']],
      [LAG_MAX_MS + 5_000, ['A', 'B']],
      [2 * LAG_MAX_MS, ['A', 'B']],
    ] as const;
    expect(gone(lists)).toEqual([[], [], [], [], ['C']]);
  });

  it('does not end with an empty list, which is a wrong answer and confirms nothing', () => {
    const missing: MissingSince = new Map();
    expect(
      gone(
        [
          [0, []],
          [LAG_MAX_MS, []],
        ],
        missing,
      ),
    ).toEqual([[], []]);
    expect(missing.size).toBe(0);
  });

  it('is gone a minute after the list that lacked it if no list followed, and only once', () => {
    const missing: MissingSince = new Map();
    gone([[0, ['B']]], missing);
    expect(findUnconfirmed(missing, UNCHANGED_MS - 1)).toEqual([]);
    expect(findUnconfirmed(missing, UNCHANGED_MS)).toEqual(['A', 'C']);
    expect(findUnconfirmed(missing, 2 * UNCHANGED_MS)).toEqual([]);
  });

  it('stays if a list that contains it followed', () => {
    const missing: MissingSince = new Map();
    gone(
      [
        [0, ['B', 'C']],
        [27_000, KNOWN],
      ],
      missing,
    );
    expect(findUnconfirmed(missing, UNCHANGED_MS)).toEqual([]);
  });
});
