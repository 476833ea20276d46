import { setImmediate as yieldToIo } from 'node:timers/promises';

/** Longest that maintenance holds up the event loop at a time, about. */
const SLICE_MS = 3;
/** Between two looks at the clock. */
const STEPS = 16;

/** Work in slices: `pause` is called often, and gives way to other work when a slice is over. */
export class Slices {
  private began = performance.now();
  private steps = 0;
  private readonly isStopped: () => boolean;

  constructor(isStopped: () => boolean) {
    this.isStopped = isStopped;
  }

  /** Whether the slice at hand is used up, or everything is to end. */
  over(): boolean {
    this.steps += 1;
    return this.steps % STEPS === 0 && this.isUsedUp();
  }

  /** As `over`, but looks at the clock each time: after steps that take long. */
  isUsedUp(): boolean {
    return performance.now() - this.began > SLICE_MS || this.isStopped();
  }

  /** Lets other work have its turn; false when there is no going on after it. */
  async next(): Promise<boolean> {
    await yieldToIo();
    this.began = performance.now();
    return !this.isStopped();
  }
}
