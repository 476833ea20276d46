/** Ahead of the machine's clock, time runs by so much slower than it passes, until the two are level. */
const SLOWER = 0.1;

export interface SteadyClockOptions {
  /** The machine's clock, unix ms: it can be set, back too. */
  readonly now: () => number;
  /** A clock that nobody sets, in ms from any beginning. */
  readonly steady: () => number;
  /** It begins no earlier, unix ms. */
  readonly from: number;
}

/**
 * The machine's clock, but that it never stands or goes back. Where the machine's clock is behind what was told before,
 * it goes on from there with the time that passes, a tenth slower, so that the machine's clock draws level even if nobody
 * sets it: an hour ahead is level after ten. Standing instead would stand everything that waits for a later time.
 */
export class SteadyClock {
  private readonly options: SteadyClockOptions;
  private base: number;
  /** What `steady` told at `base`. */
  private baseAt: number;

  constructor(options: SteadyClockOptions) {
    this.options = options;
    this.base = options.from;
    this.baseAt = options.steady();
  }

  /** Unix ms, whole; never less than before. */
  now(): number {
    const wall = this.options.now();
    const steady = this.options.steady();
    const carried = Math.floor(this.base + (steady - this.baseAt) * (1 - SLOWER));
    if (wall < carried) return carried;
    this.base = wall;
    this.baseAt = steady;
    return wall;
  }

  /** How far it is ahead of the machine's clock, ms. */
  aheadMs(): number {
    return this.now() - this.options.now();
  }

  /** Milliseconds from now on until it is level with a machine's clock that it is so much ahead of, if that is not set. */
  static levelAfterMs(aheadMs: number): number {
    return aheadMs / SLOWER;
  }
}
