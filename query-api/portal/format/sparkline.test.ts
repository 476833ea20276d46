import { describe, expect, it } from 'vitest';
import { sparklinePaths } from './sparkline.ts';

const SIZE = { width: 24, height: 14 };
const pathsOf = (...series: (number | null)[][]) =>
  sparklinePaths(
    { times: series[0]!.map((_, index) => index * 1_000), series: series.map((values) => ({ label: 'leg', values })) },
    SIZE,
  );

describe('sparklinePaths', () => {
  it('draws all series with one scale, the highest value at the top', () => {
    expect(pathsOf([0.1, 0.2, 0.3], [0.3, 0.3, 0.1])).toEqual(['M2 12L12 7L22 2', 'M2 2L12 2L22 12']);
  });
  it('leaves a gap where a value is unknown, and draws a single value as a point', () => {
    expect(pathsOf([null, 0.1, null, 0.3, 0.2])).toEqual(['M7 12h0M17 2L22 7']);
  });
  it('draws a price that never changes in the middle', () => {
    expect(pathsOf([0.4, 0.4])).toEqual(['M2 7L22 7']);
    expect(pathsOf([0.4])).toEqual(['M12 7h0']);
  });
  it('draws nothing of a series without values', () => {
    expect(pathsOf([null, null], [0.1, 0.2])[0]).toBe('');
  });
});
