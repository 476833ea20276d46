import { describe, expect, it } from 'vitest';
import { liveMarks, nextTick, recordedMarks, TICK_MS } from './clock-marks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const times = (marks: Iterable<{ receivedAt: number }>) => [...marks].map((mark) => mark.receivedAt);

describe('recordedMarks', () => {
  it('ticks between two lines that lie at most one tick apart', () => {
    expect([...recordedMarks(4_999, 5_000)]).toEqual([{ receivedAt: 5_000, tick: true, hour: false, day: false }]);
    expect(times(recordedMarks(5_000, 10_000))).toEqual([10_000]);
    expect(times(recordedMarks(5_000, 9_999))).toEqual([]);
  });

  it('yields only hours and days over a longer gap', () => {
    expect(times(recordedMarks(5_000, 10_001))).toEqual([]);
    expect([...recordedMarks(DAY - 6_000, DAY + HOUR)]).toEqual([
      { receivedAt: DAY, tick: false, hour: true, day: true },
      { receivedAt: DAY + HOUR, tick: false, hour: true, day: false },
    ]);
  });

  it('marks the hour and the day on the tick that starts them', () => {
    expect([...recordedMarks(DAY - 1, DAY)]).toEqual([{ receivedAt: DAY, tick: true, hour: true, day: true }]);
  });

  it('yields the same marks however an interval is divided into steps of at most one tick', () => {
    const moments = [0, 3_000, 5_000, 9_000, 13_999, 15_000, 20_000];
    const marks = moments.slice(1).flatMap((until, index) => times(recordedMarks(moments[index]!, until)));
    expect(marks).toEqual([5_000, 10_000, 15_000, 20_000]);
  });
});

describe('liveMarks', () => {
  it('yields every tick up to a minute', () => {
    expect(times(liveMarks(0, 60_000))).toHaveLength(12);
  });

  it('yields the hours that passed and the newest tick after more than a minute', () => {
    expect([...liveMarks(DAY - 61_000, DAY + 7_000)]).toEqual([
      { receivedAt: DAY, tick: false, hour: true, day: true },
      { receivedAt: DAY + TICK_MS, tick: true, hour: false, day: false },
    ]);
    expect(times(liveMarks(DAY - 61_000, DAY))).toEqual([DAY]);
  });
});

it('nextTick returns a later moment, also for a moment that is a tick', () => {
  expect(nextTick(4_999)).toBe(5_000);
  expect(nextTick(5_000)).toBe(10_000);
});
