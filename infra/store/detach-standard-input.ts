/**
 * Detaches standard input from the embedded engine, which reads it as rows of the next INSERT and waits for its end.
 * Nothing else in this program reads it.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

const STANDARD_INPUT = 0;
let isDetached = false;

/** Replaces standard input by an empty one, once for the process. */
export function detachStandardInput(): void {
  if (isDetached) return;
  isDetached = true;
  try {
    closeSync(STANDARD_INPUT);
  } catch (error) {
    // It was closed before; then its number is free as well.
    if ((error as NodeJS.ErrnoException).code !== 'EBADF') throw error;
  }
  // The lowest free number, which is the one just closed.
  openSync(devNull, 'r');
}
