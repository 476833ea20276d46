/**
 * Keeps standard input from the embedded engine, which takes whatever stands there for rows of the next INSERT and waits
 * for its end. Nothing of ours reads it beside the store.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

const STANDARD_INPUT = 0;
let isGone = false;

/** Puts an empty input in its place, once for the process. */
export function takeStandardInputAway(): void {
  if (isGone) return;
  isGone = true;
  try {
    closeSync(STANDARD_INPUT);
  } catch (error) {
    // It was closed before; then it is free all the same.
    if ((error as NodeJS.ErrnoException).code !== 'EBADF') throw error;
  }
  // The lowest free number, which is the one just closed.
  openSync(devNull, 'r');
}
