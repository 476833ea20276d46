import { expect, it } from 'vitest';
import { narrowed, type Offset, offsetOf } from './service-clock.ts';

const SECOND = Date.parse('2026-03-01T12:00:00Z');
/** A response of a service whose clock is ahead of the browser's, after 40 ms. */
function responseAt(known: Offset | null, ahead: number, browserMs: number): Offset | null {
  const date = new Date(Math.floor((browserMs + 20 + ahead) / 1_000) * 1_000).toUTCString();
  return narrowed(known, date, browserMs, browserMs + 40);
}

it('is 0 while the clocks may be the same', () => {
  expect(offsetOf(null)).toBe(0);
  expect(offsetOf(responseAt(null, 0, SECOND + 300))).toBe(0);
});

it.each([-90_000, 90_000])('finds a clock that differs by %i ms, the closer the more responses there are', (ahead) => {
  let known = responseAt(null, ahead, SECOND + 300);
  expect(Math.abs(offsetOf(known) - ahead)).toBeLessThan(1_050);
  for (let at = 0; at < 40_000; at += 1_130) known = responseAt(known, ahead, SECOND + at);
  expect(Math.abs(offsetOf(known) - ahead)).toBeLessThan(60);
});

it('begins anew once a clock was set', () => {
  const before = responseAt(null, 90_000, SECOND);
  expect(Math.abs(offsetOf(responseAt(before, -5_000, SECOND + 500)) + 5_000)).toBeLessThan(1_050);
});

it('learns nothing from a response without a date', () => {
  const known = { min: 1, max: 2 };
  expect([narrowed(known, null, 0, 9), narrowed(known, 'soon', 0, 9)]).toEqual([known, known]);
});
