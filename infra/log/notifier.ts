import type { ReadBatch } from './log.ts';

/** Lets a poll wait until something is available. */
export class Notifier {
  private wake: (() => void) | null = null;
  private waits = true;

  /** Ends the pending wait, if there is one. */
  notify(): void {
    this.wake?.();
  }

  /** From now on no poll waits, also not the current one. */
  endWaits(): void {
    this.waits = false;
    this.notify();
  }

  /**
   * Returns the batch of `gather` once it is not empty, or an empty batch after the timeout. `gather` is called again
   * after each notification, because a new watermark can only be returned once the records before it were delivered.
   */
  async poll(gather: () => ReadBatch, timeoutMs: number): Promise<ReadBatch> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const batch = gather();
      if (batch.records.length > 0 || batch.watermarks.length > 0) return batch;
      const waitMs = deadline - performance.now();
      if (waitMs <= 0 || !this.waits) return batch;
      await this.wait(waitMs);
    }
  }

  /** Resolves at the next notification, or after the timeout. */
  wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.wake = done;
    });
  }
}
