import { describe, expect, it } from 'vitest';
import { compactUtc, newYorkNoon, newYorkOffsetMs, newYorkTime } from './time.ts';

const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / 86_400_000;

describe('New York time', () => {
  it('agrees with the system time zone data on every hour of two years', () => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', timeZoneName: 'longOffset' });
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2028, 0, 1); at += 3_600_000) {
      const offset = format.formatToParts(at).find((part) => part.type === 'timeZoneName')?.value;
      expect(newYorkOffsetMs(at)).toBe(offset === 'GMT-04:00' ? -4 * 3_600_000 : -5 * 3_600_000);
    }
  });

  it('has noon at 17:00 UTC in winter and at 16:00 in summer', () => {
    expect(new Date(newYorkNoon(day('2026-11-22'))).toISOString()).toBe('2026-11-22T17:00:00.000Z');
    expect(new Date(newYorkNoon(day('2026-07-04'))).toISOString()).toBe('2026-07-04T16:00:00.000Z');
  });

  it('formats a time in New York', () => {
    expect(newYorkTime(Date.UTC(2026, 10, 22, 20))).toMatchObject({
      month: 'November',
      day: 22,
      clock: '3:00 PM',
      hour: '3PM',
    });
    expect(newYorkTime(Date.UTC(2026, 10, 23, 4))).toMatchObject({ day: 22, clock: '11:00 PM' });
    expect(newYorkTime(Date.UTC(2026, 10, 23, 5))).toMatchObject({ day: 23, clock: '12:00 AM', hour: '12AM' });
  });

  it('formats an expiry in UTC', () => {
    expect(compactUtc(Date.UTC(2026, 4, 3, 6))).toBe('20260503-0600');
  });
});
