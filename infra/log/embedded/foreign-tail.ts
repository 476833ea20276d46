import type { LogEnvironment } from './environment.ts';

/** How soon a read-only process sees what another one appended. */
const LOOK_MS = 25;

/** Looks for transactions of another process and tells of them; the look itself is one number read from the map. */
export class ForeignTail {
  private readonly timer: NodeJS.Timeout;
  private seen: number;

  /** @param onNews told when another process has committed something since the last look. */
  constructor(environment: LogEnvironment, onNews: () => void) {
    this.seen = environment.newestTransaction();
    this.timer = setInterval(() => {
      const newest = environment.newestTransaction();
      if (newest === this.seen) return;
      this.seen = newest;
      environment.root.resetReadTxn();
      onNews();
    }, LOOK_MS);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
  }
}
