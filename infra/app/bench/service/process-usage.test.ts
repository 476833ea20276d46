import { describe, expect, it } from 'vitest';
import { cpuSecondsOfStat, readUsage, slopeOf, usageOfPs } from './process-usage.ts';

describe('the usage of a process', () => {
  it('is the sum of user and system time, whatever the name of the program', () => {
    const stat = '42 (a (b) 9 c) S 1 42 42 0 -1 4194560 100 0 0 0 250 75 8 9 20 0 11 0 100 1000 200';
    expect(cpuSecondsOfStat(stat)).toBe(3.25);
    expect(() => cpuSecondsOfStat('42 (node) S')).toThrow('no processor time');
  });

  it('is parsed from the output of ps, with and without days and hours', () => {
    expect(usageOfPs('   0:01.25  2048\n')).toEqual({ cpuSeconds: 1.25, memoryMib: 2 });
    expect(usageOfPs('00:02:03 1024')).toEqual({ cpuSeconds: 123, memoryMib: 1 });
    expect(usageOfPs('1-01:00:00 1024').cpuSeconds).toBe(90_000);
    expect(() => usageOfPs('')).toThrow('unexpected output of ps');
  });

  it('can be read of this process', async () => {
    const { cpuSeconds, memoryMib } = await readUsage(process.pid);
    const { user, system } = process.cpuUsage();
    expect(Math.abs(cpuSeconds - (user + system) / 1e6)).toBeLessThan(0.5);
    expect(memoryMib).toBeGreaterThan(10);
  });
});

it('calculates the slope of a regression line', () => {
  expect(slopeOf([1, 3, 5, 7])).toBeCloseTo(2);
  expect(slopeOf([0, 4, 0, 4])).toBeCloseTo(0.8);
  expect(() => slopeOf([1])).toThrow(RangeError);
});
