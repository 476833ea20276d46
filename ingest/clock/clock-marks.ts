/** Calculates the marks of `control.clock` between two moments. Pure: live and playback differ in where time comes from. */
import type { ClockMark } from '#schemas/topics/control';

/** Interval of ticks, which trigger all periodic work of the stages. */
export const TICK_MS = 5_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A live process that slept for longer does not write each missed tick. */
const LIVE_CATCH_UP_MS = 60_000;

/**
 * Marks of a recording in (`after`, `until`]. If the two moments are at most one tick apart, a tick at each multiple of
 * 5 s; over a longer silence only the hours and days.
 */
export function* recordedMarks(after: number, until: number): Generator<ClockMark> {
  const quiet = until - after > TICK_MS;
  yield* marks(after, until, quiet ? HOUR_MS : TICK_MS, !quiet);
}

/**
 * Marks of live time in (`after`, `until`]: every tick. After more than a minute without a tick (the process was down or
 * the machine slept) only the hours and days that passed, then the newest tick.
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
