/** Logs the progress of a start that reads very many records. */
import type { Logger } from 'pino';

const INTERVAL_MS = 5_000;
const SECOND_MS = 1_000;

export interface CatchUpProgressOptions {
  readonly logger: Logger;
  /** Name of the topic. */
  readonly topic: string;
  /** Offset of the first record to read. */
  readonly from: number;
  /** Offset of the last one. */
  readonly last: number;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export class CatchUpProgress {
  private readonly logger: Logger;
  private readonly topic: string;
  private readonly from: number;
  private readonly total: number;
  private readonly now: () => number;
  private readonly beganAt: number;
  private loggedAt: number;

  /** @param options created when the start begins to read. */
  constructor({ logger, topic, from, last, now = () => performance.now() }: CatchUpProgressOptions) {
    this.logger = logger;
    this.topic = topic;
    this.from = from;
    this.total = last - from + 1;
    this.now = now;
    this.beganAt = this.now();
    this.loggedAt = this.beganAt;
  }

  /** Logs a line if the last one is older than the interval. Every record up to this offset is handled. */
  reached(offset: number): void {
    const now = this.now();
    if (now - this.loggedAt < INTERVAL_MS) return;
    this.loggedAt = now;
    const done = Math.min(offset - this.from + 1, this.total);
    const { total } = this;
    const secondsLeft = Math.ceil(((now - this.beganAt) / SECOND_MS) * (total / done - 1));
    this.logger.info({ done, total, secondsLeft }, `start: reading ${this.topic}`);
  }
}
