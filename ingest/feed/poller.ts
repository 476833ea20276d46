/** Runs rounds of requests at an interval until closed. After a failure it retries with increasing delays. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Publisher } from '../publisher/publisher.ts';
import type { ConnectionState } from './connection-state.ts';
import { reconnectDelayMs } from './reconnect.ts';

export interface PollerOptions {
  readonly connection: ConnectionState;
  readonly publisher: Publisher;
  readonly logger: Logger;
  /** Returns the milliseconds between the end of a round and the next; called after each round. */
  readonly intervalMs: () => number;
  /** Minimum time after a successful round. After a failure the backoff applies, which a request shortens to at most this. */
  readonly minIntervalMs: number;
  /** Milliseconds before the first round; 0 by default. */
  readonly firstDelayMs?: number;
  /** Returns the milliseconds after a number of consecutive failures; by default they increase up to 30 s. */
  readonly retryDelayMs?: (failures: number) => number;
  /** Runs one round. A rejection counts as a failure of the feed. */
  readonly round: (signal: AbortSignal) => Promise<void>;
}

export class Poller {
  private readonly options: PollerOptions;
  private readonly closing = new AbortController();
  private readonly finished: Promise<void>;
  private isRequested = false;
  private wake: AbortController | null = null;

  /** Starts the first round. */
  constructor(options: PollerOptions) {
    this.options = options;
    this.finished = this.run();
  }

  /** Starts the next round as soon as the minimum interval allows. */
  requestRound(): void {
    this.isRequested = true;
    this.wake?.abort();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.finished;
    this.options.connection.markClosed();
  }

  private async run(): Promise<void> {
    const { connection, publisher, logger, round, intervalMs, minIntervalMs } = this.options;
    const { firstDelayMs = 0, retryDelayMs = reconnectDelayMs } = this.options;
    const { signal } = this.closing;
    await this.rest(firstDelayMs, true);
    while (!signal.aborted) {
      try {
        // Responses could not be stored while the log accepts nothing.
        await publisher.whenReady(signal);
      } catch (error) {
        // Either this poller is closing, or the log failed permanently, which the publisher has reported.
        if (!signal.aborted) logger.error({ error }, 'polling stopped');
        return;
      }
      this.isRequested = false;
      let wait = 0;
      try {
        await round(signal);
        connection.resetFailures();
        wait = intervalMs();
      } catch (error) {
        if (signal.aborted) return;
        connection.markFailed(error instanceof Error ? error.message : String(error));
        wait = retryDelayMs(connection.failures);
      }
      await this.rest(Math.min(wait, minIntervalMs), false);
      await this.rest(wait - minIntervalMs, true);
    }
  }

  /** Waits for `ms`. `requestRound` ends the wait if `early` is set. */
  private async rest(ms: number, early: boolean): Promise<void> {
    if (ms <= 0 || (early && this.isRequested)) return;
    this.wake = early ? new AbortController() : null;
    const signal = this.wake ? AbortSignal.any([this.closing.signal, this.wake.signal]) : this.closing.signal;
    // An abort is not an error here: it ends the wait early.
    await sleep(ms, undefined, { signal }).catch(() => {});
    this.wake = null;
  }
}
