/**
 * Holds the one connection of a tab: connects again soon after each loss, renews the credentials when they may have
 * changed, and reports since when the connection is away.
 */
import type { Clock, ConnectionState, StreamClient } from '#stream-gateway/client/stream-client';

/** A connection that is away for less than this is not reported: its subscriptions continue without a loss. */
export const LOST_AFTER_MS = 1_000;
/** The client waits up to 30 s before an attempt. A person who looks at the page waits for 1 s to 2 s. */
const RETRY_MIN_MS = 1_000;
const RETRY_SPREAD_MS = 1_000;
/** A refused upgrade looks like a lost one. After so many failures the session is read again. */
const FAILURES_BEFORE_RENEWAL = 3;

export interface StreamLinkOptions {
  /** Resolves with the present CSRF value of the session, after signing in again if need be. */
  readonly renew: () => Promise<string>;
  readonly clock: Clock;
  /** Called with the time since which the connection is away, unix ms; with null once it is back. */
  readonly onLost: (since: number | null) => void;
}

export class StreamLink {
  private readonly options: StreamLinkOptions;
  private client: Pick<StreamClient, 'connect' | 'disconnect'> | null = null;
  private csrf: string | null = null;
  private isSuspended = false;
  /** Failures since the session was last read. */
  private failures = 0;
  private awaySince: number | null = null;
  private cancelRetry = () => {};
  private cancelReport = () => {};
  /** Increased when the connection is opened, closed or suspended, so that what began before has no effect. */
  private generation = 0;

  constructor(options: StreamLinkOptions) {
    this.options = options;
  }

  /** Connects with this CSRF value. */
  open(client: Pick<StreamClient, 'connect' | 'disconnect'>, csrf: string): void {
    this.client = client;
    this.csrf = csrf;
    this.failures = 0;
    if (!this.isSuspended) this.connect();
  }

  /** Disconnects, until `open`. */
  close(): void {
    this.stop();
    this.csrf = null;
    this.client?.disconnect();
    this.awaySince = null;
    this.options.onLost(null);
  }

  /** Disconnects until `resume`, as while the tab is hidden. What the page shows counts as old at once. */
  suspend(): void {
    if (this.isSuspended) return;
    this.isSuspended = true;
    this.stop();
    if (this.csrf === null) return;
    this.client?.disconnect();
    this.awaySince ??= this.options.clock.now();
    this.options.onLost(this.awaySince);
  }

  resume(): void {
    if (!this.isSuspended) return;
    this.isSuspended = false;
    if (this.csrf !== null) this.connect();
  }

  /** Called with each state of the client. */
  onState({ name }: Pick<ConnectionState, 'name'>): void {
    this.cancelRetry();
    if (name === 'live') {
      this.stop();
      this.failures = 0;
      this.awaySince = null;
      this.options.onLost(null);
      return;
    }
    if (this.csrf === null || this.isSuspended) return;
    this.noteAway();
    if (name === 'connecting') return;
    this.failures += 1;
    // The client itself gives up when the session has ended.
    this.retryLater(name === 'offline');
  }

  private connect(): void {
    this.noteAway();
    this.client!.connect({ csrf: this.csrf! });
  }

  /** Begins to count the time for which the connection is away. */
  private noteAway(): void {
    const { clock, onLost } = this.options;
    if (this.awaySince !== null) return;
    const since = clock.now();
    this.awaySince = since;
    this.cancelReport = clock.after(LOST_AFTER_MS, () => onLost(since));
  }

  private retryLater(mustRenew: boolean): void {
    const { clock } = this.options;
    const delay = RETRY_MIN_MS + RETRY_SPREAD_MS * clock.random();
    this.cancelRetry = clock.after(delay, () => {
      if (!mustRenew && this.failures < FAILURES_BEFORE_RENEWAL) this.connect();
      else void this.renew(mustRenew);
    });
  }

  private async renew(mustRenew: boolean): Promise<void> {
    const { generation } = this;
    try {
      const csrf = await this.options.renew();
      if (generation !== this.generation) return;
      this.csrf = csrf;
      this.failures = 0;
      this.connect();
    } catch {
      // The service is not reached, which the pages report. The client goes on trying by itself, too.
      if (generation === this.generation) this.retryLater(mustRenew);
    }
  }

  private stop(): void {
    this.generation += 1;
    this.cancelRetry();
    this.cancelReport();
  }
}
