/** A venue's limit as a token bucket: what is asked of it beyond the limit waits its turn. */

interface Waiter {
  readonly cost: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

/** Callers that may wait at once; more is a fault of ours, not of the venue. */
const WAITERS_MAX = 10_000;

export class Budget {
  private readonly capacity: number;
  private readonly perMs: number;
  private readonly now: () => number;
  private tokens: number;
  private filledAt: number;
  private blockedUntil = 0;
  private waiters: Waiter[] = [];
  private timer: NodeJS.Timeout | null = null;

  /**
   * @param options.capacity what may be spent at once; within any minute `capacity + perMinute` at most.
   * @param options.perMinute what grows back.
   */
  constructor(options: { capacity: number; perMinute: number; now?: () => number }) {
    this.capacity = options.capacity;
    this.perMs = options.perMinute / 60_000;
    this.now = options.now ?? Date.now;
    this.tokens = options.capacity;
    this.filledAt = this.now();
  }

  /** Resolves when `cost` may be spent, in order of asking. Rejects with the signal's reason when that aborts first. */
  take(cost: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.waiters.length === 0 && this.spend(cost)) return Promise.resolve();
    if (this.waiters.length >= WAITERS_MAX) return Promise.reject(new Error(`${WAITERS_MAX} wait for one budget`));
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.waiters = this.waiters.filter((waiter) => waiter !== entry);
        reject(signal?.reason);
      };
      const entry: Waiter = { cost, resolve, reject, signal, onAbort };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiters.push(entry);
      this.schedule();
    });
  }

  /** Spends nothing for so long, as a venue asked for. A shorter time never shortens a longer one. */
  blockFor(ms: number): void {
    this.blockedUntil = Math.max(this.blockedUntil, this.now() + ms);
  }

  private spend(cost: number): boolean {
    const now = this.now();
    if (now < this.blockedUntil) return false;
    this.tokens = Math.min(this.capacity, this.tokens + (now - this.filledAt) * this.perMs);
    this.filledAt = now;
    // What costs more than the bucket holds may go when it is full.
    if (this.tokens < Math.min(cost, this.capacity)) return false;
    this.tokens -= cost;
    return true;
  }

  private schedule(): void {
    const first = this.waiters[0];
    if (this.timer || !first) return;
    const missing = Math.max(0, Math.min(first.cost, this.capacity) - this.tokens) / this.perMs;
    const wait = Math.max(1, this.blockedUntil - this.now(), Math.ceil(missing));
    this.timer = setTimeout(() => {
      this.timer = null;
      this.serve();
    }, wait);
  }

  private serve(): void {
    let served = 0;
    while (served < this.waiters.length && this.spend(this.waiters[served]!.cost)) served += 1;
    const ready = this.waiters.slice(0, served);
    this.waiters = this.waiters.slice(served);
    for (const { resolve, signal, onAbort } of ready) {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }
    this.schedule();
  }
}
