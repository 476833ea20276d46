/** While ahead of the machine's clock, this clock runs slower by this share until the two agree. */
const SLOWER = 0.1;

export interface MonotonicClockOptions {
  /** The machine's clock, unix ms. It can be set forward and back. */
  readonly now: () => number;
  /** A clock that cannot be set, ms from an arbitrary origin. */
  readonly monotonicNow: () => number;
  /** The lowest time that it returns, unix ms. */
  readonly from: number;
}

/**
 * The machine's clock without steps back. If the machine's clock falls behind the last returned time, this clock continues
 * from there, 10 percent slower than real time, until the machine's clock has caught up: an hour takes ten hours. If it
 * stood still instead, everything that waits for a later time would stop.
 */
export class MonotonicClock {
  private readonly options: MonotonicClockOptions;
  private base: number;
  /** Value of `monotonicNow` at `base`. */
  private baseAt: number;

  constructor(options: MonotonicClockOptions) {
    this.options = options;
    this.base = options.from;
    this.baseAt = options.monotonicNow();
  }

  /** Unix ms, an integer, never less than before. */
  now(): number {
    const wall = this.options.now();
    const steady = this.options.monotonicNow();
    const continued = Math.floor(this.base + (steady - this.baseAt) * (1 - SLOWER));
    if (wall < continued) return continued;
    this.base = wall;
    this.baseAt = steady;
    return wall;
  }

  /** How far it is ahead of the machine's clock, ms. */
  aheadMs(): number {
    return this.now() - this.options.now();
  }

  /** Milliseconds until a machine's clock that is behind by `aheadMs` has caught up, if nobody sets it. */
  static catchUpMs(aheadMs: number): number {
    return aheadMs / SLOWER;
  }
}
