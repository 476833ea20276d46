/**
 * Decides which slots of a venue may connect while it refuses connections: then one attempt at a time, the most important
 * slot's, with growing delays. As soon as one of them works, all may connect.
 */
import { reconnectDelayMs } from './reconnect.ts';

/** One attempt to connect. Only its first outcome counts. */
export interface Attempt {
  /** Called when the venue sent something over the connection. */
  readonly succeed: () => void;
  /** Called when it was refused, or ended before the venue sent anything. */
  readonly fail: () => void;
  /** Called when it was given up for a reason of our own. */
  readonly cancel: () => void;
}

interface Waiter {
  readonly priority: number;
  readonly enter: () => void;
}

export class ConnectionGate {
  private readonly delayMs: (refusals: number) => number;
  /** Refused attempts in a row; 0 while the venue accepts connections. */
  private refusals = 0;
  private isProbing = false;
  /** Runs until the next probe may start. */
  private timer: NodeJS.Timeout | null = null;
  /** Sorted by priority, then by arrival. */
  private waiters: Waiter[] = [];

  /** @param delayMs the delay before the next attempt after so many refusals. */
  constructor(delayMs: (refusals: number) => number = reconnectDelayMs) {
    this.delayMs = delayMs;
  }

  /** True while the venue refuses connections. */
  get isRefusing(): boolean {
    return this.refusals > 0;
  }

  /** Resolves when this slot may try to connect. @param priority lower numbers first. */
  enter(priority: number, signal: AbortSignal): Promise<Attempt> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (!this.isRefusing) return Promise.resolve(this.attempt(false));
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.waiters = this.waiters.filter((waiter) => waiter !== entry);
        reject(signal.reason);
      };
      const entry: Waiter = {
        priority,
        enter: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(this.attempt(this.isRefusing));
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const at = this.waiters.findIndex((waiter) => waiter.priority > priority);
      this.waiters.splice(at < 0 ? this.waiters.length : at, 0, entry);
      this.probe();
    });
  }

  private attempt(isProbe: boolean): Attempt {
    if (isProbe) this.isProbing = true;
    let isOver = false;
    const end = (apply: () => void) => () => {
      if (isOver) return;
      isOver = true;
      if (isProbe) this.isProbing = false;
      apply();
    };
    return {
      succeed: end(() => this.open()),
      fail: end(() => this.refuse(isProbe)),
      cancel: end(() => this.probe()),
    };
  }

  private open(): void {
    this.refusals = 0;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    for (const { enter } of this.waiters.splice(0)) enter();
  }

  /** Attempts that were under way when the venue began to refuse count once. */
  private refuse(isProbe: boolean): void {
    if (isProbe) this.refusals += 1;
    else if (this.refusals > 0) return;
    else this.refusals = 1;
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = null;
      this.probe();
    }, this.delayMs(this.refusals));
    // It does not delay the end of the process.
    this.timer.unref();
  }

  /** Lets the most important waiting slot try, if it is time. */
  private probe(): void {
    if (this.isProbing || this.timer) return;
    this.waiters.shift()?.enter();
  }
}
