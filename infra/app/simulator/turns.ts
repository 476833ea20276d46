/** Long calculations of the simulator, written as generators that yield often. */

/** Longest time in one turn of the event loop. */
const TURN_MS = 10;

/** Runs a calculation at once. */
export function runAtOnce<T>(calculation: Generator<void, T>): T {
  for (;;) {
    const { done, value } = calculation.next();
    if (done) return value;
  }
}

/** Runs a calculation, and lets the event loop continue in between. */
export async function runInTurns<T>(calculation: Generator<void, T>): Promise<T> {
  let turnEnds = performance.now() + TURN_MS;
  for (;;) {
    const { done, value } = calculation.next();
    if (done) return value;
    if (performance.now() < turnEnds) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turnEnds = performance.now() + TURN_MS;
  }
}
