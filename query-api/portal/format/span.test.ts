import { describe, expect, it } from 'vitest';
import { dragged, limited, readSpan, shifted, zoomed } from './span.ts';

const span = { from: 1_000, to: 2_000 };
const limits = { narrowest: 100, widest: 5_000, latest: 2_000 };
const MINUTE = 60_000;

describe('a span of a chart', () => {
  it('is moved by a part of its width', () => {
    expect(shifted(span, -0.1)).toEqual({ from: 900, to: 1_900 });
  });

  it.each([
    [0.5, { from: 1_250, to: 1_750 }],
    [0, { from: 1_000, to: 1_500 }],
    [1, { from: 1_500, to: 2_000 }],
  ])('is zoomed around the time at %d of its width', (at, expected) => {
    expect(zoomed(span, 0.5, at)).toEqual(expected);
  });

  it('follows one pointer', () => {
    expect(dragged(span, [0.5], [0.7])).toEqual({ from: 800, to: 1_800 });
  });

  it('is zoomed by two pointers, each of which stays above its time', () => {
    expect(dragged(span, [0.25, 0.75], [0, 1])).toEqual({ from: 1_250, to: 1_750 });
    expect(dragged(span, [0.25, 0.75], [0.25, 0.5])).toEqual({ from: 750, to: 2_750 });
  });

  it('is moved by two pointers that meet, instead of being endless', () => {
    expect(dragged(span, [0.2, 0.8], [0.5, 0.5])).toEqual({ from: 700, to: 1_700 });
  });

  it('is limited in its width around its middle', () => {
    expect(limited({ from: 1_490, to: 1_510 }, limits)).toEqual({ from: 1_450, to: 1_550 });
    expect(limited({ from: -9_000, to: 9_000 }, limits)).toEqual({ from: 0, to: 5_000 });
  });

  it('ends at most a tenth of its width after the latest time, and begins after 1970', () => {
    expect(limited({ from: 2_000, to: 3_000 }, limits)).toEqual({ from: 1_100, to: 2_100 });
    expect(limited({ from: -500, to: 500 }, limits)).toEqual({ from: 0, to: 1_000 });
  });
});

describe('the span that is read', () => {
  const shown = { from: 100 * MINUTE, to: 200 * MINUTE };

  it('holds what is shown with a margin, in whole buckets', () => {
    const { from, to } = readSpan(shown, MINUTE);
    expect([from % MINUTE, to % MINUTE]).toEqual([0, 0]);
    expect(from).toBeLessThanOrEqual(75 * MINUTE);
    expect(to).toBeGreaterThanOrEqual(225 * MINUTE);
  });

  it('is the same after a small move', () => {
    expect(readSpan(shifted(shown, 0.02), MINUTE)).toEqual(readSpan(shown, MINUTE));
  });

  it('is at most twice as wide and two buckets', () => {
    for (let width = 1; width < 3_000; width += 7) {
      const { from, to } = readSpan({ from: 10_000 * MINUTE + 5, to: (10_000 + width) * MINUTE + 5 }, MINUTE);
      expect((to - from) / MINUTE).toBeLessThanOrEqual(2 * width + 2);
    }
  });
});
