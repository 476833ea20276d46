/**
 * A lease on Kafka. A consumer group decides who has it and notices when a holder is gone; the brokers make sure that
 * the one before can write no more, also when it was only paused and knows nothing of it.
 */
import type { Logger } from 'pino';
import { backoff } from '../../retry.ts';
import { type Lease, type LeaseOptions, LogError, type TopicPartition } from '../log.ts';
import { Notifier } from '../notifier.ts';
import { toLogError } from './errors.ts';
import { Fence } from './fencing.ts';
import type { BatchProducer, KafkaClient } from './kafka-client.ts';
import type { KafkaWriter, KafkaWriterOptions } from './kafka-writer.ts';
import { LEASE_AT, LeaseMember } from './lease-member.ts';
import type { ProducerIdentity } from './producer-numbers.ts';
import { ProducerNumbers } from './producer-numbers.ts';

/** How often one who waits looks whether it should still wait. */
const STANDBY_LOOK_MS = 250;
/** A claim that fails for other reasons than a rival is tried again for this long. */
const CLAIM_FOR_MS = 60_000;
/** How long a holder that was away waits to hear whether it is still one. */
const CONFIRM_FOR_MS = 30_000;
/** Brokers forget the epoch of a producer that has put nothing into a partition for a day, and of an id for a week. */
const RENEW_MS = 6 * 3_600_000;

/** Ranks in the group: a member that holds the lease keeps it, and of two that think so the newer one does. */
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

/** Waits for the lease. Rejects with `log_locked` when the wait was ended by the signal. */
export async function takeLease(options: KafkaLeaseOptions, wait: LeaseOptions): Promise<KafkaLease> {
  const lease = new KafkaLease(options);
  try {
    await lease.take(wait);
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
  private readonly news = new Notifier();
  private rank = WAITING;
  private held = false;
  private isReleased = false;
  private standing: { readonly fence: Fence; readonly identity: ProducerIdentity } | null = null;
  private fault: LogError | null = null;
  private reject: (error: LogError) => void = () => {};
  private timer: NodeJS.Timeout | null = null;

  constructor(options: KafkaLeaseOptions) {
    this.options = options;
    const { client, name, timeoutMs, openWriter } = options;
    this.lost = new Promise((_, reject) => {
      this.reject = reject;
    });
    // Nobody need listen: what is appended after it is refused as well.
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

  async take({ onStandby, signal }: LeaseOptions): Promise<void> {
    await this.join(signal);
    const deadline = Date.now() + CLAIM_FOR_MS;
    let isTold = false;
    for (let failures = 0; ; ) {
      this.assertWanted(signal);
      if (!this.member.assigned) {
        if (!isTold) onStandby?.();
        isTold = true;
        await this.news.wait(STANDBY_LOOK_MS);
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
        const reason = toLogError(error, `taking the lease ${this.options.name}`);
        // A rival is no failure: the group decides anew.
        if (reason.code !== 'log_fenced' && (!reason.canRetry || Date.now() >= deadline)) throw reason;
        this.options.logger?.warn(
          { error: reason, lease: this.options.name },
          'the lease is not had yet; trying again',
        );
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
        `another process holds the lease ${this.options.name}, and this one waits no more`,
      );
  }

  private onAssigned(assigned: boolean): void {
    this.news.tell();
    if (!this.held || this.fault) return;
    if (!assigned) this.lose(new LogError('log_fenced', 'another process was given it'));
    else void this.check();
  }

  /** After a round of the group: it may have been another's in between. */
  private async check(): Promise<void> {
    try {
      await this.confirm();
    } catch (error) {
      if (!this.fault)
        this.options.logger?.warn({ error, lease: this.options.name }, 'a lease is not confirmed; later');
    }
  }

  /** Begins the next epoch and keeps the ones before out of every partition. */
  private async claim(): Promise<BatchProducer> {
    const { client, name, partitions } = this.options;
    if (this.fault) throw this.fault;
    // Who was away and has lost it must not take a newer epoch than its new holder has.
    await this.confirm();
    const cluster = client.cluster();
    try {
      await cluster.connect();
      const fence = new Fence(cluster, `parallax.${name}`);
      // From here on the epoch before cannot be renewed, and that it cannot tells nothing about a rival.
      this.standing = null;
      const identity = await fence.next();
      // Once more: it may have been lost in between, and from here on a new holder's epoch is higher than this one.
      await this.confirm();
      await fence.mark(identity, partitions, LEASE_AT);
      if (this.fault) throw this.fault;
      if (!this.member.assigned) throw new LogError('log_fenced', `another process was given the lease ${name}`);
      this.standing = { fence, identity };
      this.rank = identity.producerId * EPOCHS + identity.producerEpoch + 1;
      return client.producerOf(cluster, new ProducerNumbers(identity));
    } catch (error) {
      await cluster.disconnect();
      throw error;
    }
  }

  /**
   * Asks the group; a holder that has just lost its broker may have to come back to it first. Rejects when the lease is
   * lost, or with `log_unavailable` when the group does not answer for long.
   */
  private async confirm(): Promise<void> {
    const deadline = Date.now() + CONFIRM_FOR_MS;
    for (let attempt = 0; ; attempt += 1) {
      if (this.fault) throw this.fault;
      try {
        if ((await this.member.confirm(this.held)) === 'held') return;
        this.lose(new LogError('log_fenced', 'another process has held it meanwhile'));
      } catch (error) {
        if (!this.held || this.isReleased) throw error;
        if (Date.now() >= deadline)
          throw new LogError('log_unavailable', `Kafka: the lease ${this.options.name} is not confirmed`, {
            cause: error,
          });
        await backoff(Math.min(attempt, 4));
      }
    }
  }

  /** Puts the marks anew, which only the newest holder can. */
  private async renew(): Promise<void> {
    const { standing } = this;
    if (!standing || this.fault) return;
    try {
      await standing.fence.mark(standing.identity, this.options.partitions, LEASE_AT);
    } catch (error) {
      // A claim of its own has begun meanwhile.
      if (standing !== this.standing) return;
      const reason = toLogError(error, `renewing the lease ${this.options.name}`);
      if (reason.code === 'log_fenced') this.lose(reason);
      else this.options.logger?.warn({ error: reason }, 'a lease was not renewed; later');
    }
  }

  private lose(cause: LogError): void {
    if (this.fault || !this.held) return;
    this.fault = new LogError('log_fenced', `the lease ${this.options.name} is lost: ${cause.message}`, { cause });
    this.writer.end(this.fault);
    this.reject(this.fault);
    this.member
      .leave()
      .catch((error: unknown) => this.options.logger?.warn({ error }, 'a group was not left in order'));
  }
}
