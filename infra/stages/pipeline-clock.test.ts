import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogError, type LogRecord } from '../log/log.ts';
import { openPipelineClock } from './pipeline-clock.ts';

const NOW = Date.UTC(2026, 5, 1);

const aMark = (receivedAt: number, appendedAt: number): LogRecord => ({
  topic: 'control.clock',
  partition: 0,
  offset: 0,
  seq: 1,
  key: 'clock',
  value: Buffer.alloc(0),
  receivedAt,
  appendedAt,
});

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOW }));
afterEach(() => void vi.useRealTimers());

async function openOver(mark: LogRecord | null) {
  const clock = await openPipelineClock({ createTopics: async () => {}, last: async () => mark }, () => {});
  await clock.close();
  return clock;
}

describe('with live data', () => {
  it('advances by itself, also over the time in which nothing was written', async () => {
    const clock = await openOver(aMark(NOW - 3_600_010, NOW - 3_600_000));
    expect(clock.isLive()).toBe(true);
    expect(clock.now(null)).toBe(NOW - 10);
    vi.advanceTimersByTime(7_000);
    expect(clock.now(null)).toBe(NOW + 6_990);
  });

  it('is in whole milliseconds, and no earlier than the newest known time', async () => {
    const clock = await openOver(aMark(NOW, NOW));
    const monotonic = vi.spyOn(performance, 'now');
    for (let at = 1; at < 1_000; at += 1) {
      monotonic.mockReturnValue(at * 1.123_456_7);
      const newest = NOW + 10_000 + at * 2;
      expect(clock.now(newest)).toBe(newest);
    }
    monotonic.mockRestore();
  });

  it('follows event time, whatever the clock of this machine says', async () => {
    const ahead = 60_000;
    const clock = await openOver(aMark(NOW, NOW));
    expect(clock.now(NOW + ahead)).toBe(NOW + ahead);
    vi.setSystemTime(NOW - 3_600_000);
    vi.advanceTimersByTime(1_000);
    expect(clock.now(NOW + ahead)).toBe(NOW + ahead + 1_000);
    expect(clock.isLive()).toBe(true);
  });

  it('uses the least delayed event time of the last minutes, and no older one', async () => {
    const clock = await openOver(aMark(NOW, NOW));
    vi.advanceTimersByTime(1_000);
    // 900 ms late.
    expect(clock.now(NOW + 100)).toBe(NOW + 1_000);
    // Event time falls behind this machine's clock for good, as if the two clocks drift apart.
    for (let minute = 1; minute <= 3; minute += 1) {
      vi.advanceTimersByTime(60_001);
      clock.now(NOW + 60_001 * minute + 500);
    }
    expect(clock.now(null)).toBe(NOW + 60_001 * 3 + 500);
  });

  it('is live while event time is ahead of a clock that was set back', async () => {
    expect((await openOver(aMark(NOW + 600_000, NOW))).isLive()).toBe(true);
  });
});

it('is the newest known time with the marks of a recording', async () => {
  const clock = await openOver(aMark(Date.UTC(2026, 0, 1), NOW));
  expect(clock.isLive()).toBe(false);
  expect([clock.now(5), clock.now(null)]).toEqual([5, null]);
});

it('is unknown before the first mark, which it looks for more often than for later ones', async () => {
  let mark: LogRecord | null = null;
  const pauses: { readonly ms: number; readonly end: (goesOn: boolean) => void }[] = [];
  const clock = await openPipelineClock(
    { createTopics: async () => {}, last: async () => mark },
    () => {},
    (ms) => new Promise((end) => pauses.push({ ms, end })),
  );
  expect([clock.isLive(), clock.now(5)]).toEqual([false, null]);
  mark = aMark(NOW, NOW);
  pauses[0]!.end(true);
  await expect.poll(() => pauses).toHaveLength(2);
  expect([clock.isLive(), clock.now(NOW)]).toEqual([true, expect.any(Number)]);
  expect(pauses[0]!.ms).toBeLessThan(pauses[1]!.ms / 10);
  pauses[1]!.end(false);
  await clock.close();
});

it('rejects at its start if the log does', async () => {
  const last = async () => Promise.reject(new LogError('log_closed', 'closed'));
  const opened = openPipelineClock({ createTopics: async () => {}, last }, () => {});
  await expect(opened).rejects.toMatchObject({ code: 'log_closed' });
});
