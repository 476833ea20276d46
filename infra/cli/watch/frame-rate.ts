const WINDOW_MS = 5_000;
/** A rate over less than this is mostly chance. */
const SHORTEST_MS = 1_000;

/** Frames a second over the last five seconds, by the times at which they arrived. Times are monotonic ms. */
export class FrameRate {
  private readonly startedAt: number;
  private arrivals: number[] = [];

  constructor(now: number) {
    this.startedAt = now;
  }

  add(now: number): void {
    this.arrivals.push(now);
  }

  perSecond(now: number): number {
    this.arrivals = this.arrivals.filter((at) => at > now - WINDOW_MS);
    const elapsedMs = Math.min(WINDOW_MS, Math.max(SHORTEST_MS, now - this.startedAt));
    return (this.arrivals.length * 1_000) / elapsedMs;
  }
}
