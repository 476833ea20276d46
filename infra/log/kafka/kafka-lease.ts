/**
 * A lease on Kafka. A consumer group decides which process holds it and detects when a holder is gone. The brokers
 * ensure that the previous holder can no longer write, even if it was only paused and has not noticed.
 */
import type { Logger } from 'pino';
import { backoff } from '../../runtime/retry.ts';
import { type Lease, type LeaseOptions, LogError, type TopicPartition } from '../log.ts';
import { Notifier } from '../notifier.ts';
import { toLogError } from './errors.ts';
import { Fence } from './fencing.ts';
import type { BatchProducer, KafkaClient } from './kafka-client.ts';
import type { KafkaWriter, KafkaWriterOptions } from './kafka-writer.ts';
import { LEASE_AT, LeaseMember } from './lease-member.ts';
import type { ProducerIdentity } from './producer-numbers.ts';
import { ProducerNumbers } from './producer-numbers.ts';

/** Interval at which a standby checks whether it must still wait. */
const STANDBY_POLL_MS = 250;
/** How long a claim is retried that fails for other reasons than a rival. */
const CLAIM_FOR_MS = 60_000;
/** How long a holder that was disconnected waits for the confirmation that it still holds the lease. */
const CONFIRM_FOR_MS = 30_000;
/**
 * Interval of renewals. Brokers forget the epoch of a producer that has written nothing to a partition for a day, and
 * of an id for a week.
 */
const RENEW_MS = 6 * 3_600_000;

/** Ranks in the group: a member that holds the lease retains it, and of two that believe so the newer one does. */
const WAITING = -1;
const CLAIMING = 0;
const EPOCHS = 2 ** 16;

export interface KafkaLeaseOptions {
  readonly client: KafkaClient;
  readonly name: string;
  /** Every partition that the holder writes. */
  readonly partitions: readonly TopicPartition[];
  readonly timeoutMs: number;
  readonly logger: Logger | undefined;
  readonly openWriter: (options: Required<Pick<KafkaWriterOptions, 'connect' | 'onFenced'>>) => KafkaWriter;
}

/** Waits for the lease. Rejects with `log_locked` if the signal ended the wait. */
export async function acquireLease(options: KafkaLeaseOptions, wait: LeaseOptions): Promise<KafkaLease> {
  const lease = new KafkaLease(options);
  try {
    await lease.acquire(wait);
    return lease;
  } catch (error) {
    await lease.release();
    throw error;
  }
}

export class KafkaLease implements Omit<Lease, 'promisedUntil'> {
  readonly lost: Promise<never>;
  readonly writer: KafkaWriter;
  private readonly options: KafkaLeaseOptions;
  private readonly member: LeaseMember;
  private readonly notifier = new Notifier();
  private rank = WAITING;
  private held = false;
  private isReleased = false;
  private fencing: { readonly fence: Fence; readonly identity: ProducerIdentity } | null = null;
  private fault: LogError | null = null;
  private reject: (error: LogError) => void = () => {};
  private timer: NodeJS.Timeout | null = null;

  constructor(options: KafkaLeaseOptions) {
    this.options = options;
    const { client, name, timeoutMs, openWriter } = options;
    this.lost = new Promise((_, reject) => {
      this.reject = reject;
    });
    // Listening is optional: later appends are refused as well.
    this.lost.catch(() => {});
    this.member = new LeaseMember({
      client,
      groupId: `parallax.lease.${name}`,
      timeoutMs,
      rank: () => this.rank,
      onAssigned: (assigned) => this.onAssigned(assigned),
    });
    this.writer = openWriter({ connect: () => this.claim(), onFenced: (error) => this.lose(error) });
  }

  async acquire({ onStandby, signal }: LeaseOptions): Promise<void> {
    await this.join(signal);
    const deadline = Date.now() + CLAIM_FOR_MS;
    let isStandbyReported = false;
    for (let failures = 0; ; ) {
      this.assertWanted(signal);
      if (!this.member.assigned) {
        if (!isStandbyReported) onStandby?.();
        isStandbyReported = true;
        await this.notifier.wait(STANDBY_POLL_MS);
        continue;
      }
      this.rank = CLAIMING;
      try {
        await this.writer.appender.open();
        this.held = true;
        this.timer = setInterval(() => void this.renew(), RENEW_MS);
        this.timer.unref();
        return;
      } catch (error) {
        this.rank = WAITING;
        const reason = toLogError(error, `acquiring the lease ${this.options.name}`);
        // A rival is not a failure: the group decides again.
        if (reason.code !== 'log_fenced' && (!reason.canRetry || Date.now() >= deadline)) throw reason;
        this.options.logger?.warn({ error: reason, lease: this.options.name }, 'could not acquire the lease, retrying');
        await backoff(failures, signal);
        failures += 1;
      }
    }
  }

  async release(): Promise<void> {
    this.isReleased = true;
    if (this.timer) clearInterval(this.timer);
    await this.writer.close();
    await this.member.leave();
  }

  private async join(signal: AbortSignal | undefined): Promise<void> {
    this.assertWanted(signal);
    const joining = this.member.join();
    const aborted = new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
    joining.catch(() => {});
    await Promise.race([joining, aborted]);
  }

  private assertWanted(signal: AbortSignal | undefined): void {
    if (signal?.aborted)
      throw new LogError(
        'log_locked',
        `another process holds the lease ${this.options.name}, and this one stopped waiting`,
      );
  }

  private onAssigned(assigned: boolean): void {
    this.notifier.notify();
    if (!this.held || this.fault) return;
    if (!assigned) this.lose(new LogError('log_fenced', 'it was assigned to another process'));
    else void this.check();
  }

  /** Checks the lease after a rebalance of the group: another process may have held it in between. */
  private async check(): Promise<void> {
    try {
      await this.confirm();
    } catch (error) {
      if (!this.fault)
        this.options.logger?.warn({ error, lease: this.options.name }, 'could not confirm a lease, will retry');
    }
  }

  /** Starts the next producer epoch and fences the previous ones out of every partition. */
  private async claim(): Promise<BatchProducer> {
    const { client, name, partitions } = this.options;
    if (this.fault) throw this.fault;
    // A holder that was disconnected and has lost the lease must not get a newer producer epoch than the new holder has.
    await this.confirm();
    const cluster = client.cluster();
    try {
      await cluster.connect();
      const fence = new Fence(cluster, `parallax.${name}`);
      // From here on the previous producer epoch cannot be renewed, and a failed renewal does not indicate a rival.
      this.fencing = null;
      const identity = await fence.next();
      // Confirm again: the lease may have been lost in between, and from here on a new holder's epoch is higher than
      // this one.
      await this.confirm();
      await fence.mark(identity, partitions, LEASE_AT);
      if (this.fault) throw this.fault;
      if (!this.member.assigned) throw new LogError('log_fenced', `the lease ${name} was assigned to another process`);
      this.fencing = { fence, identity };
      this.rank = identity.producerId * EPOCHS + identity.producerEpoch + 1;
      return client.producerOf(cluster, new ProducerNumbers(identity));
    } catch (error) {
      await cluster.disconnect();
      throw error;
    }
  }

  /**
   * Confirms the lease with the group; a holder that has just lost its broker may have to rejoin first. Rejects if the
   * lease is lost, or with `log_unavailable` if the group does not answer for half a minute.
   */
  private async confirm(): Promise<void> {
    const deadline = Date.now() + CONFIRM_FOR_MS;
    for (let attempt = 0; ; attempt += 1) {
      if (this.fault) throw this.fault;
      try {
        if ((await this.member.confirm(this.held)) === 'held') return;
        this.lose(new LogError('log_fenced', 'another process held it meanwhile'));
      } catch (error) {
        if (!this.held || this.isReleased) throw error;
        if (Date.now() >= deadline)
          throw new LogError('log_unavailable', `Kafka: the lease ${this.options.name} could not be confirmed`, {
            cause: error,
          });
        await backoff(Math.min(attempt, 4));
      }
    }
  }

  /** Writes the markers again, which only the newest holder can. */
  private async renew(): Promise<void> {
    const { fencing } = this;
    if (!fencing || this.fault) return;
    try {
      await fencing.fence.mark(fencing.identity, this.options.partitions, LEASE_AT);
    } catch (error) {
      // Another claim of this process has started meanwhile.
      if (fencing !== this.fencing) return;
      const reason = toLogError(error, `renewing the lease ${this.options.name}`);
      if (reason.code === 'log_fenced') this.lose(reason);
      else this.options.logger?.warn({ error: reason }, 'could not renew a lease, will retry');
    }
  }

  private lose(cause: LogError): void {
    if (this.fault || !this.held) return;
    this.fault = new LogError('log_fenced', `the lease ${this.options.name} is lost: ${cause.message}`, { cause });
    this.writer.end(this.fault);
    this.reject(this.fault);
    this.member
      .leave()
      .catch((error: unknown) => this.options.logger?.warn({ error }, 'failed to leave the consumer group'));
  }
}
