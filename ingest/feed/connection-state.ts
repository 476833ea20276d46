/**
 * The state of one connection. It publishes each change once as a feed event with its cause, so that every gap has a
 * record. Sockets, pollers and chain followers use it.
 */
import type { Logger } from 'pino';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import type { Publisher } from '../publisher/publisher.ts';

/** Consecutive failures after which a feed is reported as unreachable. */
const UNREACHABLE_AFTER = 5;
/** The reason of a connection that this process closed. */
const CLOSED = 'closed by us';

export interface ConnectionStateOptions {
  readonly venue: Venue;
  readonly feed: string;
  readonly publisher: Publisher;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export class ConnectionState {
  private readonly options: ConnectionStateOptions;
  private state: 'new' | 'connected' | 'silent' | 'disconnected' | 'unreachable' = 'new';
  private consecutiveFailures = 0;

  constructor(options: ConnectionStateOptions) {
    this.options = options;
  }

  get connected(): boolean {
    return this.state === 'connected';
  }

  /** Consecutive failures since the connection last worked. */
  get failures(): number {
    return this.consecutiveFailures;
  }

  markConnected(): void {
    if (this.state === 'connected') return;
    this.changeState('connected', null);
  }

  /** Called when an open connection shows no sign of activity. */
  markSilent(reason: string): void {
    if (this.state === 'connected') this.changeState('silent', reason);
  }

  /** Called when the connection has worked for a while: the next failure counts as the first. */
  resetFailures(): void {
    this.consecutiveFailures = 0;
  }

  /** Called when the connection ended or could not be established. */
  markFailed(reason: string): void {
    this.consecutiveFailures += 1;
    if (this.state === 'connected' || this.state === 'silent') {
      this.options.metrics.feedDisconnects.inc({ feed: this.options.feed });
      this.changeState('disconnected', reason);
    }
    // A venue that accepts connections and drops them at once becomes unreachable again after each of them.
    if (this.consecutiveFailures >= UNREACHABLE_AFTER && this.state !== 'unreachable')
      this.changeState('unreachable', reason);
  }

  /** Called when this process closes the connection. */
  markClosed(): void {
    if (this.state === 'connected' || this.state === 'silent') this.changeState('disconnected', CLOSED);
  }

  private changeState(kind: 'connected' | 'disconnected' | 'silent' | 'unreachable', reason: string | null): void {
    this.state = kind;
    const { venue, feed, publisher, logger } = this.options;
    publisher.publishFeedEvent({ venue, feed, kind, reason });
    const isExpected = kind === 'connected' || reason === CLOSED;
    logger[isExpected ? 'info' : 'warn']({ feed, reason }, `feed ${kind}`);
  }
}
