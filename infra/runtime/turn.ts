/**
 * Shares the turns of the event loop among all that works in slices, such as stages. Slices that are short by themselves
 * would add up: dozens of stages may have work in the same turn, while timers and sockets wait.
 */
import { setImmediate } from 'node:timers';

/** What the slices of one turn may last together, about; the last one may begin shortly before. */
const TURN_MS = 6;

/** True from the first slice of a turn to its end. */
let hasBegun = false;
let endsAt = 0;
/** Slices that wait, in the order of their calls. */
const waiting: (() => void)[] = [];
/** True if a slice that waited ran in this turn. */
let hasServed = false;

/**
 * True once the slices of this turn have lasted so long that what follows should wait for another one (`nextTurn`). Work
 * without an end calls it about every millisecond.
 */
export function isTurnUsedUp(): boolean {
  // What waits runs after the callbacks of sockets in each turn, so a turn that begins in one of these lasts until then.
  if (!hasBegun) beginTurn(() => setImmediate(endTurn));
  return performance.now() >= endsAt;
}

/** Resolves in a later turn that has time for a slice, after those that called before. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(serveNext);
  });
}

/** One call for each that waits. A turn always serves the first, whatever callbacks of sockets and timers took of it. */
function serveNext(): void {
  if (!hasBegun) beginTurn(endTurn);
  if (hasServed && performance.now() >= endsAt) {
    setImmediate(serveNext);
    return;
  }
  hasServed = true;
  waiting.shift()!();
}

function beginTurn(then: () => void): void {
  endsAt = performance.now() + TURN_MS;
  hasBegun = true;
  setImmediate(then);
}

function endTurn(): void {
  hasBegun = false;
  hasServed = false;
}
