import { expect, test } from 'vitest';
import { startOf } from './window.ts';

const NOW = Date.UTC(2026, 0, 15, 12, 10, 30, 500);

test('a window starts at a whole minute, its length before now', () => {
  expect(startOf('1D', NOW)).toBe('2026-01-14T12:10:00.000Z');
  expect(startOf('1M', NOW)).toBe('2025-12-16T12:10:00.000Z');
});

test('all time has no start', () => {
  expect(startOf('ALL', NOW)).toBeNull();
});
