import { describe, expect, it } from 'vitest';
import { createSchedule } from './schedule.ts';

const START = Date.UTC(2026, 0, 1);

describe('schedule', () => {
  it.each([1, 10, 333, 20_000])('has a rate of exactly %i events per second, in steps of 10 ms', (rate) => {
    const schedule = createSchedule(1, rate, [{ weight: 1 }, { weight: 3 }]);
    let events = 0;
    for (let at = START; at < START + 60_000; at += 10)
      events += schedule.firstEventAt(at + 10) - schedule.firstEventAt(at);
    expect(events).toBe(rate * 60);
  });

  it('assigns every event to the step of its time', () => {
    const schedule = createSchedule(1, 333, [{ weight: 1 }]);
    const first = schedule.firstEventAt(START);
    for (let event = first; event < first + 2_000; event += 1) {
      const at = schedule.timeOf(event);
      expect(schedule.firstEventAt(at)).toBeLessThanOrEqual(event);
      expect(schedule.firstEventAt(at + 1)).toBeGreaterThan(event);
    }
  });

  it('numbers versions of a series without a gap, and finds an event by its version', () => {
    const schedule = createSchedule(3, 100, [{ weight: 5 }, { weight: 1 }, { weight: 2 }]);
    const newest = new Map<number, number>();
    const first = schedule.firstEventAt(START);
    for (let event = first; event < first + schedule.length * 2; event += 1) {
      const series = schedule.seriesByEntry[event % schedule.length]!;
      const version = schedule.versionOf(event);
      expect(schedule.eventOf(series, version)).toBe(event);
      expect(schedule.versionAt(series, schedule.timeOf(event))).toBeLessThan(version);
      expect(schedule.versionAt(series, schedule.timeOf(event) + 1)).toBeGreaterThanOrEqual(version);
      const before = newest.get(series);
      if (before !== undefined) expect(version).toBe(before + 1);
      newest.set(series, version);
    }
    expect(newest.size).toBe(3);
  });

  it('gives series their shares', () => {
    const schedule = createSchedule(3, 100, [{ weight: 7 }, { weight: 3 }]);
    const share = schedule.perCycle(0) / schedule.length;
    expect(share).toBeCloseTo(0.7, 2);
  });

  it('includes even the rarest of many series', () => {
    const allSeries = Array.from({ length: 5_000 }, (_, nth) => ({ weight: nth === 0 ? 1000 : 0.01 }));
    const schedule = createSchedule(3, 100, allSeries);
    expect(allSeries.every((_, series) => schedule.perCycle(series) >= 1)).toBe(true);
  });
});
