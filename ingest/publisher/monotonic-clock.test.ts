import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MonotonicClock } from './monotonic-clock.ts';

function setUp(from = 0) {
  const at = { wall: 1_000_000, steady: 5 };
  const clock = new MonotonicClock({ now: () => at.wall, monotonicNow: () => at.steady, from });
  const pass = (ms: number, setBy = 0) => {
    at.wall += ms + setBy;
    at.steady += ms;
    return clock.now();
  };
  return { at, clock, pass };
}

it("follows the machine's clock while that advances, also when it is set forward", () => {
  const { clock, pass } = setUp();
  expect(clock.now()).toBe(1_000_000);
  expect(pass(1)).toBe(1_000_001);
  expect(pass(1_000, 3_600_000)).toBe(4_601_001);
  expect(clock.aheadMs()).toBe(0);
});

it('runs 10 percent slower when the clock is set back, until the clock has caught up', () => {
  const { clock, pass } = setUp();
  clock.now();
  expect(pass(0, -10_000)).toBe(1_000_000);
  expect(pass(1_000)).toBe(1_000_900);
  expect(clock.aheadMs()).toBe(9_900);
  pass(98_999);
  expect(clock.aheadMs()).toBe(0);
  expect(pass(1_000)).toBe(1_091_000 - 1);
  expect(MonotonicClock.catchUpMs(10_000)).toBe(100_000);
});

it('continues from the time that the log holds', () => {
  const { clock, pass } = setUp(2_000_000);
  expect(clock.now()).toBe(2_000_000);
  expect(pass(10)).toBe(2_000_009);
  expect(pass(0, 2_000_000)).toBe(3_000_010);
});

it('never goes back and is never behind the clock, however the clock is set', () => {
  const turns = fc.array(fc.tuple(fc.nat(5_000), fc.integer({ min: -100_000, max: 100_000 })), { maxLength: 50 });
  fc.assert(
    fc.property(turns, (list) => {
      const { at, clock, pass } = setUp();
      let last = clock.now();
      for (const [ms, setBy] of list) {
        const now = pass(ms, setBy);
        expect(now).toBeGreaterThanOrEqual(last);
        expect(now).toBeGreaterThanOrEqual(at.wall);
        if (ms > 10) expect(now).toBeGreaterThan(last);
        last = now;
      }
    }),
  );
});
