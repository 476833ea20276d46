import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { Logger } from 'pino';
import { type GroupConsumer, LogError, type LogRecord, type TopicPartition } from '../log.ts';
import { Notifier } from '../notifier.ts';
import { partitionName } from '../partition-name.ts';
import { bytesOf } from '../record-size.ts';
import { toLogError } from './errors.ts';
import { type KafkaClient, type RawRecord, RETRY } from './kafka-client.ts';
import { fromMessage } from './record-mapping.ts';

/** Limits for records that were fetched and not polled; above them fetching waits. */
const QUEUE_RECORDS_MAX = 16_384;
const QUEUE_BYTES_MAX = 32 * 1024 * 1024;
/** How long a broker waits for new records, and how long closing may wait for a pending fetch. */
const FETCH_WAIT_MS = 500;
const FETCH_BYTES = 8 * 1024 * 1024;
const PARTITION_FETCH_BYTES = 2 * 1024 * 1024;
/** A member that lost its broker rejoins as a new one, and the group waits this long for the old one. */
const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 1_000;
const JOIN_TIMEOUT_MS = 60_000;
/** Interval at which a full queue is checked again. */
const FULL_WAIT_MS = 20;

export interface KafkaGroupOptions {
  readonly client: KafkaClient;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly logger: Logger | undefined;
  readonly onClose: (member: KafkaGroupMember) => void;
}

type CommitOffset = TopicPartition & { readonly offset: number };

/** A polled member of a kafkajs consumer group; commits only explicitly. */
export class KafkaGroupMember implements GroupConsumer {
  private readonly options: KafkaGroupOptions;
  private readonly consumer: Consumer;
  private held = new Map<string, TopicPartition>();
  private queue: LogRecord[] = [];
  private next = 0;
  private queuedBytes = 0;
  /** Counts the assignments: records fetched under an earlier one are fetched again. */
  private generation = 0;
  private readonly notifier = new Notifier();
  private fault: LogError | null = null;
  private closed = false;

  constructor(options: KafkaGroupOptions) {
    this.options = options;
    this.consumer = options.client.kafka.consumer({
      groupId: options.groupId,
      sessionTimeout: SESSION_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      maxBytes: FETCH_BYTES,
      maxBytesPerPartition: PARTITION_FETCH_BYTES,
      allowAutoTopicCreation: false,
      readUncommitted: true,
      // A coordinator that has just started answers for a while that it is loading.
      retry: { ...RETRY, retries: 15, restartOnFailure: async () => !this.closed },
    });
  }

  /** Joins; resolves with the first assignment, which may be empty. */
  async join(): Promise<void> {
    const { GROUP_JOIN, CRASH } = this.consumer.events;
    const joined = new Promise<void>((resolve, reject) => {
      this.consumer.on(GROUP_JOIN, ({ payload }) => {
        this.assign(payload.memberAssignment);
        resolve();
      });
      this.consumer.on(CRASH, ({ payload }) => {
        if (payload.restart) return;
        this.fault = toLogError(payload.error, `reading in group ${this.options.groupId}`);
        this.notifier.notify();
        reject(this.fault);
      });
    });
    const deadline = sleep(JOIN_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new LogError('log_unavailable', `Kafka: group ${this.options.groupId} could not be joined`);
    });
    // The promise that is no longer awaited must not cause an unhandled rejection.
    joined.catch(() => {});
    deadline.catch(() => {});
    try {
      await this.consumer.connect();
      await this.consumer.subscribe({ topics: [...this.options.topics], fromBeginning: true });
      await this.consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (payload) => this.enqueue(payload),
      });
      await Promise.race([joined, deadline]);
    } catch (error) {
      await this.close();
      throw toLogError(error, `joining group ${this.options.groupId}`);
    }
  }

  async poll(maxRecords: number, timeoutMs: number): Promise<readonly LogRecord[]> {
    const now = this.gather(maxRecords);
    if (now.length > 0 || timeoutMs === 0) return now;
    await this.notifier.wait(timeoutMs);
    return this.gather(maxRecords);
  }

  assignment(): readonly TopicPartition[] {
    return [...this.held.values()];
  }

  async commit(offsets: readonly CommitOffset[]): Promise<void> {
    if (this.closed) throw new LogError('log_fenced', `this member has left group ${this.options.groupId}`);
    const lost = offsets.find((at) => !this.held.has(partitionName(at)));
    if (lost)
      throw new LogError('log_fenced', `another member of ${this.options.groupId} holds ${partitionName(lost)} now`);
    if (offsets.length === 0) return;
    try {
      await this.consumer.commitOffsets(
        offsets.map(({ topic, partition, offset }) => ({ topic, partition, offset: String(offset) })),
      );
    } catch (error) {
      throw toLogError(error, `committing in group ${this.options.groupId}`);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.held = new Map();
    this.notifier.notify();
    this.options.onClose(this);
    await this.consumer.disconnect();
  }

  private gather(maxRecords: number): LogRecord[] {
    if (this.closed) throw new LogError('log_closed', 'this member has left its group');
    const records = this.queue.slice(this.next, this.next + maxRecords);
    this.next += records.length;
    for (const record of records) this.queuedBytes -= bytesOf(record);
    if (this.next === this.queue.length) {
      this.queue = [];
      this.next = 0;
    }
    const held = records.filter((record) => this.held.has(partitionName(record)));
    if (held.length === 0 && this.fault) throw this.fault;
    return held;
  }

  private assign(assignment: Readonly<Record<string, readonly number[]>>): void {
    this.generation += 1;
    this.queue = [];
    this.next = 0;
    this.queuedBytes = 0;
    this.held = new Map(
      Object.entries(assignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => [partitionName({ topic, partition }), { topic, partition }] as const),
      ),
    );
  }

  /** Queues a batch; while the queue is full, sends heartbeats to stay a member of the group. */
  private async enqueue({ batch, resolveOffset, heartbeat, isRunning, isStale }: EachBatchPayload): Promise<void> {
    const { generation } = this;
    while (this.queue.length - this.next >= QUEUE_RECORDS_MAX || this.queuedBytes >= QUEUE_BYTES_MAX) {
      await sleep(FULL_WAIT_MS);
      await heartbeat();
      if (!isRunning() || isStale() || this.generation !== generation) return;
    }
    for (const message of batch.messages) {
      const record = fromMessage(batch.topic, batch.partition, message as unknown as RawRecord);
      this.queue.push(record);
      this.queuedBytes += bytesOf(record);
    }
    resolveOffset(batch.lastOffset());
    this.notifier.notify();
  }
}
