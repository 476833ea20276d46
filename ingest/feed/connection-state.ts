/**
 * What is told of one connection's life, so that no gap is without a record: the change, once, with what is known of its
 * cause. Sockets, pollers and chain followers tell theirs through it alike.
 */
import type { Logger } from 'pino';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import type { Publisher } from '../publisher/publisher.ts';

/** Failures in a row after which a feed is told to be unreachable. */
export const UNREACHABLE_AFTER = 5;

export interface FeedLifeOptions {
  readonly venue: Venue;
  readonly feed: string;
  readonly publisher: Publisher;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export class FeedLife {
  private readonly options: FeedLifeOptions;
  private state: 'new' | 'connected' | 'silent' | 'disconnected' | 'unreachable' = 'new';
  private failures = 0;

  constructor(options: FeedLifeOptions) {
    this.options = options;
  }

  get connected(): boolean {
    return this.state === 'connected';
  }

  /** Failures since it last worked. */
  get failed(): number {
    return this.failures;
  }

  connect(): void {
    if (this.state === 'connected') return;
    this.tell('connected', null);
  }

  /** A connection gave no sign of life, though it is open. */
  silence(reason: string): void {
    if (this.state === 'connected') this.tell('silent', reason);
  }

  /** It worked for a while, so what fails next is a new failure. */
  worked(): void {
    this.failures = 0;
  }

  /** The connection ended, or could not be made. */
  fail(reason: string): void {
    this.failures += 1;
    if (this.state === 'connected' || this.state === 'silent') {
      this.options.metrics.reconnects.inc({ feed: this.options.feed });
      this.tell('disconnected', reason);
    }
    if (this.failures === UNREACHABLE_AFTER) this.tell('unreachable', reason);
  }

  /** We end it ourselves. */
  end(): void {
    if (this.state === 'connected' || this.state === 'silent') this.tell('disconnected', 'closed by us');
  }

  private tell(kind: 'connected' | 'disconnected' | 'silent' | 'unreachable', reason: string | null): void {
    this.state = kind;
    const { venue, feed, publisher, logger } = this.options;
    publisher.feedEvent({ venue, feed, kind, reason });
    logger[kind === 'connected' ? 'info' : 'warn']({ feed, reason }, `feed ${kind}`);
  }
}
