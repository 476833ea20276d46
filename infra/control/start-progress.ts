/** Logs the progress of a start that reduces very many commands. */
import type { Logger } from 'pino';

const INTERVAL_MS = 5_000;
const SECOND_MS = 1_000;

export interface StartProgressOptions {
  readonly logger: Logger;
  /** Offset of the first command to reduce. */
  readonly from: number;
  /** Offset of the last one. */
  readonly last: number;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export class StartProgress {
  private readonly logger: Logger;
  private readonly from: number;
  private readonly total: number;
  private readonly now: () => number;
  private readonly beganAt: number;
  private loggedAt: number;

  /** @param options created when the start begins to read. */
  constructor({ logger, from, last, now = () => performance.now() }: StartProgressOptions) {
    this.logger = logger;
    this.from = from;
    this.total = last - from + 1;
    this.now = now;
    this.beganAt = this.now();
    this.loggedAt = this.beganAt;
  }

  /** Logs a line if the last one is older than the interval. Every command up to this offset is reduced. */
  reached(offset: number): void {
    const now = this.now();
    if (now - this.loggedAt < INTERVAL_MS) return;
    this.loggedAt = now;
    const done = Math.min(offset - this.from + 1, this.total);
    const { total } = this;
    const secondsLeft = Math.ceil(((now - this.beganAt) / SECOND_MS) * (total / done - 1));
    this.logger.info({ done, total, secondsLeft }, 'start: reducing control commands');
  }
}
