import { expect, test } from 'vitest';
import { startOf } from './windows.ts';

const NOW = Date.UTC(2026, 0, 15, 12, 14, 30, 500);

test('a window starts at a multiple of five minutes, its length before now or at most five minutes earlier', () => {
  expect(startOf('1D', NOW)).toBe('2026-01-14T12:10:00.000Z');
  expect(startOf('1M', NOW)).toBe('2025-12-16T12:10:00.000Z');
});

test('all time has no start', () => {
  expect(startOf('ALL', NOW)).toBeNull();
});
