/** Something that is asked at intervals for good: after a failure sooner, and with more and more patience. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Publisher } from '../publisher/publisher.ts';
import type { FeedLife } from './feed-life.ts';
import { reconnectDelayMs } from './reconnect.ts';

export interface PollerOptions {
  readonly life: FeedLife;
  readonly publisher: Publisher;
  readonly logger: Logger;
  /** Milliseconds after a round before the next begins; asked after each round. */
  readonly everyMs: () => number;
  /** Least time between two rounds, however often it is nudged. */
  readonly soonestMs: number;
  /** One round. A rejection counts as a failure of the feed. */
  readonly round: (signal: AbortSignal) => Promise<void>;
}

export class Poller {
  private readonly options: PollerOptions;
  private readonly ending = new AbortController();
  private readonly finished: Promise<void>;
  private nudged = false;
  private wake: AbortController | null = null;

  /** Begins the first round. */
  constructor(options: PollerOptions) {
    this.options = options;
    this.finished = this.run();
  }

  /** Begins the next round as soon as it may. */
  nudge(): void {
    this.nudged = true;
    this.wake?.abort();
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.finished;
    this.options.life.end();
  }

  private async run(): Promise<void> {
    const { life, publisher, logger, round, everyMs, soonestMs } = this.options;
    const { signal } = this.ending;
    while (!signal.aborted) {
      try {
        // While the log takes nothing there is no use in asking.
        await publisher.whenReady(signal);
      } catch (error) {
        // Either we are closing, or the log refused for good, which the publisher has told.
        if (!signal.aborted) logger.error({ error }, 'polling ended');
        return;
      }
      this.nudged = false;
      let wait = 0;
      try {
        await round(signal);
        life.worked();
        wait = everyMs();
      } catch (error) {
        if (signal.aborted) return;
        life.fail(error instanceof Error ? error.message : String(error));
        wait = reconnectDelayMs(life.failed);
      }
      await this.rest(Math.min(wait, soonestMs), false);
      await this.rest(wait - soonestMs, true);
    }
  }

  /** Waits; `nudge` ends it early where it may. */
  private async rest(ms: number, early: boolean): Promise<void> {
    if (ms <= 0 || (early && this.nudged)) return;
    this.wake = early ? new AbortController() : null;
    const signal = this.wake ? AbortSignal.any([this.ending.signal, this.wake.signal]) : this.ending.signal;
    // An abort is no fault here: it is how the wait ends early.
    await sleep(ms, undefined, { signal }).catch(() => {});
    this.wake = null;
  }
}
