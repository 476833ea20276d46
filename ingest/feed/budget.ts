/** A venue's limit, so much within so long: what is asked of it beyond the limit waits its turn. */

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
  private readonly max: number;
  private readonly windowMs: number;
  private readonly now: () => number;
  /** What was spent within the window, oldest first, from `head` on. */
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
    this.now = options.now ?? Date.now;
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
    this.forget(now);
    if (this.sum + this.bounded(cost) > this.max) return false;
    this.spent.push({ at: now, cost });
    this.sum += cost;
    return true;
  }

  /** Drops what has left the window. */
  private forget(now: number): void {
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

  /** What costs more than the whole budget may go when nothing else is spent. */
  private bounded(cost: number): number {
    return Math.min(cost, this.max);
  }

  /** Looks again when enough has left the window for the first in line. */
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
