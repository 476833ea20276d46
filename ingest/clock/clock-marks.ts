/** Which marks of `control.clock` lie between two moments. Pure: live and playback differ in who says what time it is. */
import type { ClockMark } from '#schemas/topics/control';

/** The tick that everything periodic goes by (design, settings of the clock). */
export const TICK_MS = 5_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A live process that was asleep for longer does not catch up tick by tick. */
const LIVE_CATCH_UP_MS = 60_000;

/**
 * Marks of a recording in (`after`, `until`]: a tick at every multiple of 5 s where the two moments lie at most one tick
 * apart, over a longer silence the hours and days alone.
 */
export function* recordedMarks(after: number, until: number): Generator<ClockMark> {
  const quiet = until - after > TICK_MS;
  yield* marks(after, until, quiet ? HOUR_MS : TICK_MS, !quiet);
}

/**
 * Marks of the running time in (`after`, `until`]: every tick; after more than a minute without one (the process was
 * down or the machine asleep) the hours and days that passed, then the newest tick.
 */
export function* liveMarks(after: number, until: number): Generator<ClockMark> {
  if (until - after <= LIVE_CATCH_UP_MS) {
    yield* marks(after, until, TICK_MS, true);
    return;
  }
  const newest = floorTo(until, TICK_MS);
  yield* marks(after, newest - 1, HOUR_MS, false);
  yield markAt(newest, true);
}

/** The first tick after `at`. */
export function nextTick(at: number): number {
  return floorTo(at, TICK_MS) + TICK_MS;
}

function* marks(after: number, until: number, step: number, tick: boolean): Generator<ClockMark> {
  for (let at = floorTo(after, step) + step; at <= until; at += step) yield markAt(at, tick);
}

function markAt(at: number, tick: boolean): ClockMark {
  return { receivedAt: at, tick, hour: at % HOUR_MS === 0, day: at % DAY_MS === 0 };
}

const floorTo = (at: number, step: number) => Math.floor(at / step) * step;
