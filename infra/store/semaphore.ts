import { StoreError } from './store.ts';

interface Waiting {
  readonly start: () => void;
}

/**
 * Lets so many calls run at once and makes the others wait in order, bounded in number and time. A call that outlives
 * its time keeps its place until it has really ended, since the engine cannot be made to drop it.
 */
export class Lane {
  private readonly width: number;
  private readonly waitingMax: number;
  private readonly waiting = new Set<Waiting>();
  private running = 0;
  private readonly idleWaiters: (() => void)[] = [];

  constructor(width: number, waitingMax: number) {
    this.width = width;
    this.waitingMax = waitingMax;
  }

  /** Runs `work` when it is its turn. Rejects with `store_unavailable` when too many wait or `timeoutMs` has passed. */
  run<T>(work: () => Promise<T>, timeoutMs: number): Promise<T> {
    if (this.waiting.size >= this.waitingMax)
      return Promise.reject(new StoreError('store_unavailable', `${this.waitingMax} calls wait for the store already`));
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
    while (this.running < this.width) {
      const [next] = this.waiting;
      if (!next) break;
      this.waiting.delete(next);
      next.start();
    }
    if (this.running === 0 && this.waiting.size === 0) for (const done of this.idleWaiters.splice(0)) done();
  }
}
