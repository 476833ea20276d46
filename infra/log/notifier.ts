import type { ReadBatch } from './log.ts';

/** Lets the one who polls wait until there is something new. */
export class News {
  private wake: (() => void) | null = null;

  /** Ends the wait, if there is one. */
  tell(): void {
    this.wake?.();
  }

  /**
   * What `gather` gives as soon as that is something, or an empty batch after so long. Not all news can be told: a promise
   * holds only once the records before it were fetched and delivered.
   */
  async poll(gather: () => ReadBatch, timeoutMs: number): Promise<ReadBatch> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const batch = gather();
      if (batch.records.length > 0 || batch.watermarks.length > 0) return batch;
      const waitMs = deadline - performance.now();
      if (waitMs <= 0) return batch;
      await this.wait(waitMs);
    }
  }

  /** Resolves when there is news, or after so long. */
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
