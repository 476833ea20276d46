/** A rate limit of a venue over a sliding window. Requests beyond the limit wait in order. */

interface Waiter {
  readonly cost: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

/** Callers that may wait at once; more means a bug in an adapter. */
const WAITERS_MAX = 10_000;

export class Budget {
  private readonly max: number;
  private readonly windowMs: number;
  /** Monotonic ms: the wall clock may be set. */
  private readonly now: () => number;
  /** Costs spent within the window, oldest first, from `head` on. */
  private spent: { readonly at: number; readonly cost: number }[] = [];
  private head = 0;
  private sum = 0;
  private blockedUntil = 0;
  private waiters: Waiter[] = [];
  private timer: NodeJS.Timeout | null = null;

  /** At most `max` is spent within any `windowMs`. */
  constructor(options: { max: number; windowMs: number; now?: () => number }) {
    this.max = options.max;
    this.windowMs = options.windowMs;
    this.now = options.now ?? (() => performance.now());
  }

  /** Resolves when `cost` may be spent, in order of the calls. Rejects with the signal's reason if that aborts first. */
  acquire(cost: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.waiters.length === 0 && this.spend(cost)) return Promise.resolve();
    if (this.waiters.length >= WAITERS_MAX)
      return Promise.reject(new Error(`${WAITERS_MAX} callers already wait for this budget`));
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

  /** Blocks all spending for this time, as a venue demanded. A shorter time never shortens a longer one. */
  blockFor(ms: number): void {
    this.blockedUntil = Math.max(this.blockedUntil, this.now() + ms);
  }

  private spend(cost: number): boolean {
    const now = this.now();
    if (now < this.blockedUntil) return false;
    this.dropExpired(now);
    if (this.sum + this.bounded(cost) > this.max) return false;
    this.spent.push({ at: now, cost });
    this.sum += cost;
    return true;
  }

  /** Drops costs that have left the window. */
  private dropExpired(now: number): void {
    for (
      let oldest = this.spent[this.head];
      oldest && oldest.at <= now - this.windowMs;
      oldest = this.spent[this.head]
    ) {
      this.sum -= oldest.cost;
      this.head += 1;
    }
    if (this.head < this.spent.length / 2) return;
    this.spent = this.spent.slice(this.head);
    this.head = 0;
  }

  /** A cost above the complete budget may be spent when nothing else is. */
  private bounded(cost: number): number {
    return Math.min(cost, this.max);
  }

  /** Sets the timer to when the window has room for the first waiter. */
  private schedule(): void {
    const first = this.waiters[0];
    if (this.timer || !first) return;
    const now = this.now();
    let freed = this.max - this.sum - this.bounded(first.cost);
    let until = now;
    for (let at = this.head; at < this.spent.length && freed < 0; at += 1) {
      freed += this.spent[at]!.cost;
      until = this.spent[at]!.at + this.windowMs;
    }
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.serve();
      },
      Math.max(1, until - now, this.blockedUntil - now),
    );
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
