import { isTurnUsedUp, nextTurn } from '../../runtime/turn.ts';

/** Maximum duration of a slice of maintenance, about. */
const SLICE_MS = 3;

/** Divides work into slices: call `isUsedUp` after each step, and `next` when it returns true. */
export class Slices {
  private began = performance.now();
  private readonly isStopped: () => boolean;

  constructor(isStopped: () => boolean) {
    this.isStopped = isStopped;
  }

  /** True if the current slice is used up, or the work must stop. */
  isUsedUp(): boolean {
    return performance.now() - this.began > SLICE_MS || isTurnUsedUp() || this.isStopped();
  }

  /** Yields to other work; returns false if the work must stop. */
  async next(): Promise<boolean> {
    await nextTurn();
    this.began = performance.now();
    return !this.isStopped();
  }
}
