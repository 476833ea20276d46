const WINDOW_MS = 5_000;
/** Shortest time to divide by: a rate over less is noise. */
const SHORTEST_MS = 1_000;

/** Frames per second over the last five seconds, by arrival time. Times are monotonic ms. */
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
