import { describe, expect, it } from 'vitest';
import type { Outcome } from '#infra/outbound/outcome';
import { consequenceOf, delayMs, parseSchedule } from './schedule.ts';

const SCHEDULE = parseSchedule('0,5,300');
const answered = (status: number, retryAfterMs: number | null = null): Outcome => ({
  status,
  retryAfterMs,
  durationMs: 1,
});
const none = () => 0;

describe('the schedule', () => {
  it('is parsed from seconds', () => expect(parseSchedule('0,0.5,86400')).toEqual([0, 500, 86_400_000]));

  it('adds up to 20 % to each delay', () => {
    expect(delayMs(SCHEDULE, 1, none)).toBe(5_000);
    expect(delayMs(SCHEDULE, 1, () => 1)).toBe(6_000);
    expect(delayMs(SCHEDULE, 2, () => 0.5)).toBe(330_000);
  });
});

describe('the consequence of an attempt', () => {
  it.each([200, 204, 299])('is delivered for %i', (status) =>
    expect(consequenceOf(SCHEDULE, 1, answered(status), none)).toEqual({ kind: 'delivered' }),
  );

  it.each([301, 304, 400, 404, 429, 500, 503])('is a retry after %i', (status) =>
    expect(consequenceOf(SCHEDULE, 1, answered(status), none)).toEqual({ kind: 'retry', afterMs: 5_000 }),
  );

  it('is a retry without an answer', () =>
    expect(consequenceOf(SCHEDULE, 2, { error: 'timeout', durationMs: 1 }, none)).toEqual({
      kind: 'retry',
      afterMs: 300_000,
    }));

  it('has a delay that Retry-After lengthens and never shortens', () => {
    expect(consequenceOf(SCHEDULE, 1, answered(429, 60_000), none)).toEqual({ kind: 'retry', afterMs: 60_000 });
    expect(consequenceOf(SCHEDULE, 2, answered(503, 60_000), none)).toEqual({ kind: 'retry', afterMs: 300_000 });
  });

  it('is a failure after 410 and after the last attempt', () => {
    expect(consequenceOf(SCHEDULE, 1, answered(410), none)).toEqual({ kind: 'failed', disable: 'gone' });
    expect(consequenceOf(SCHEDULE, 3, answered(500, 9), none)).toEqual({ kind: 'failed', disable: 'failing' });
    expect(consequenceOf(SCHEDULE, 3, answered(200), none)).toEqual({ kind: 'delivered' });
  });
});
