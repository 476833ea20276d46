import { expect, test } from 'vitest';
import { liquidationDistance, markOf } from './liquidation.ts';

test('a long position is liquidated below its mark price, a short one above it', () => {
  expect(liquidationDistance({ szi: 2, positionValue: 200, liquidationPx: 80 })).toBeCloseTo(0.2, 12);
  expect(liquidationDistance({ szi: -2, positionValue: 200, liquidationPx: 130 })).toBeCloseTo(0.3, 12);
});

test('a position at or beyond its liquidation price has no distance left', () => {
  expect(liquidationDistance({ szi: 1, positionValue: 100, liquidationPx: 100 })).toBe(0);
  expect(liquidationDistance({ szi: -1, positionValue: 100, liquidationPx: 90 })).toBeCloseTo(-0.1, 12);
});

test('a figure that the venue does not state makes the distance unknown, not 0', () => {
  expect(liquidationDistance({ szi: 1, positionValue: 100, liquidationPx: null })).toBeNull();
  expect(liquidationDistance({ szi: null, positionValue: 100, liquidationPx: 80 })).toBeNull();
  expect(liquidationDistance({ szi: 0, positionValue: 0, liquidationPx: 80 })).toBeNull();
  expect(markOf({ szi: -4, positionValue: 100 })).toBe(25);
  expect(markOf({ szi: -4, positionValue: null })).toBeNull();
});
