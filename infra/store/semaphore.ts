import { StoreError } from './store.ts';

interface Waiting {
  readonly start: () => void;
}

/**
 * Runs a limited number of calls at a time and lets others wait in order, limited in number and time. A call that
 * exceeds its time keeps its permit until it has ended, since the engine cannot abort it.
 */
export class Semaphore {
  private readonly permits: number;
  private readonly waitingMax: number;
  private readonly waiting = new Set<Waiting>();
  private running = 0;
  private readonly idleWaiters: (() => void)[] = [];

  constructor(permits: number, waitingMax: number) {
    this.permits = permits;
    this.waitingMax = waitingMax;
  }

  /**
   * Runs `work` when a permit is free. Rejects with `store_unavailable` if too many calls wait or `timeoutMs` has
   * passed.
   */
  run<T>(work: () => Promise<T>, timeoutMs: number): Promise<T> {
    if (this.waiting.size >= this.waitingMax)
      return Promise.reject(
        new StoreError('store_unavailable', `too many calls are waiting for the store (limit ${this.waitingMax})`),
      );
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(entry);
        reject(new StoreError('store_unavailable', `no answer from the store within ${timeoutMs} ms`));
      }, timeoutMs);
      const entry: Waiting = {
        start: () => {
          this.running += 1;
          Promise.resolve()
            .then(work)
            .then(resolve, reject)
            .finally(() => {
              clearTimeout(timer);
              this.running -= 1;
              this.startNext();
            });
        },
      };
      this.waiting.add(entry);
      this.startNext();
    });
  }

  /** Resolves once nothing runs and nothing waits. */
  async idle(): Promise<void> {
    if (this.running === 0 && this.waiting.size === 0) return;
    await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }

  private startNext(): void {
    while (this.running < this.permits) {
      const [next] = this.waiting;
      if (!next) break;
      this.waiting.delete(next);
      next.start();
    }
    if (this.running === 0 && this.waiting.size === 0) for (const done of this.idleWaiters.splice(0)) done();
  }
}
