import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SteadyClock } from './steady-clock.ts';

function setUp(from = 0) {
  const at = { wall: 1_000_000, steady: 5 };
  const clock = new SteadyClock({ now: () => at.wall, steady: () => at.steady, from });
  const pass = (ms: number, setBy = 0) => {
    at.wall += ms + setBy;
    at.steady += ms;
    return clock.now();
  };
  return { at, clock, pass };
}

it("is the machine's clock while that goes on, also when it is set forward", () => {
  const { clock, pass } = setUp();
  expect(clock.now()).toBe(1_000_000);
  expect(pass(1)).toBe(1_000_001);
  expect(pass(1_000, 3_600_000)).toBe(4_601_001);
  expect(clock.aheadMs()).toBe(0);
});

it('goes on a tenth slower when the clock is set back, until the two are level', () => {
  const { clock, pass } = setUp();
  clock.now();
  expect(pass(0, -10_000)).toBe(1_000_000);
  expect(pass(1_000)).toBe(1_000_900);
  expect(clock.aheadMs()).toBe(9_900);
  pass(98_999);
  expect(clock.aheadMs()).toBe(0);
  expect(pass(1_000)).toBe(1_091_000 - 1);
  expect(SteadyClock.levelAfterMs(10_000)).toBe(100_000);
});

it('goes on from what the log holds', () => {
  const { clock, pass } = setUp(2_000_000);
  expect(clock.now()).toBe(2_000_000);
  expect(pass(10)).toBe(2_000_009);
  expect(pass(0, 2_000_000)).toBe(3_000_010);
});

it('never goes back, and is never behind the clock, however that is set', () => {
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
