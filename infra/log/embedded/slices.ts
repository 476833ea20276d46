import { setImmediate as yieldToIo } from 'node:timers/promises';

/** Maximum duration of a slice of maintenance, about. */
const SLICE_MS = 3;
/** Steps between two looks at the clock. */
const STEPS = 16;

/** Divides work into slices: call `isUsedUp` or `isUsedUpSampled` after each step, and `next` when it returns true. */
export class Slices {
  private began = performance.now();
  private steps = 0;
  private readonly isStopped: () => boolean;

  constructor(isStopped: () => boolean) {
    this.isStopped = isStopped;
  }

  /** Like `isUsedUp`, but looks at the clock only every few calls: for short steps. */
  isUsedUpSampled(): boolean {
    this.steps += 1;
    return this.steps % STEPS === 0 && this.isUsedUp();
  }

  /** True if the current slice is used up, or the work must stop. */
  isUsedUp(): boolean {
    return performance.now() - this.began > SLICE_MS || this.isStopped();
  }

  /** Yields to other work; returns false if the work must stop. */
  async next(): Promise<boolean> {
    await yieldToIo();
    this.began = performance.now();
    return !this.isStopped();
  }
}
