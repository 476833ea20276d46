import { backoff } from '../../retry.ts';
import { type AppendRecord, LogError, type TopicPartition } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import { bytesOf, checkSizes } from '../record-size.ts';
import { toLogError } from './errors.ts';
import { groupBy } from './group-by.ts';
import { type BatchProducer, compressionFor } from './kafka-client.ts';
import { toMessage } from './record-mapping.ts';

/** Waiting beyond this is refused with `log_full`: whoever appends must slow down. */
const QUEUE_BYTES_MAX = 64 * 1024 * 1024;
const SEND_BYTES_MAX = 4 * 1024 * 1024;
/** One partition's part of a send is one batch, and a broker takes batches of 1 MiB by default. */
const SEND_PARTITION_BYTES_MAX = 900 * 1024;
/** A broker restarts in less; after this the appends that wait are rejected. */
const RETRY_FOR_MS = 30_000;

interface Append {
  readonly records: readonly AppendRecord[];
  readonly bytes: number;
  /** Records sent, and how many of them before the request at hand. */
  sent: number;
  sentBefore: number;
  readonly resolve: () => void;
  readonly reject: (error: LogError) => void;
}

export interface AppenderOptions {
  /** A producer with numbers of its own. */
  readonly connect: () => Promise<BatchProducer>;
  /** Told the offset after the last record that a send put into a partition. */
  readonly onAppended: (at: TopicPartition, next: number) => void;
  /** Told that another writer has taken the topics over. */
  readonly onFenced?: (error: LogError) => void;
  readonly queueBytesMax?: number;
  readonly retryForMs?: number;
}

/**
 * Sends what is appended, in the order it came, one request at a time: what waits meanwhile goes together in the next.
 * The producer is idempotent, so a request that is repeated after a lost answer counts once.
 */
export class Appender {
  private readonly options: AppenderOptions;
  private queue: Append[] = [];
  private queuedBytes = 0;
  /** So many appends at the head of the queue go one by one, to tell which of them the broker refuses. */
  private apart = 0;
  private producer: Promise<BatchProducer> | null = null;
  private sending: Promise<void> | null = null;
  private closed = false;
  private ended: LogError | null = null;

  constructor(options: AppenderOptions) {
    this.options = options;
  }

  /** Connects before the first append. */
  async open(): Promise<void> {
    try {
      await this.connected();
    } catch (error) {
      await this.dropProducer();
      throw toLogError(error, 'connecting a producer');
    }
  }

  append(records: readonly AppendRecord[]): Promise<void> {
    if (this.closed) return Promise.reject(new LogError('log_closed', 'the log was closed'));
    if (this.ended) return Promise.reject(this.ended);
    try {
      checkSizes(records);
    } catch (error) {
      return Promise.reject(error);
    }
    const bytes = records.reduce((sum, record) => sum + bytesOf(record), 0);
    const { queueBytesMax = QUEUE_BYTES_MAX } = this.options;
    // A single append above the limit is taken when nothing waits before it.
    if (this.queuedBytes > 0 && this.queuedBytes + bytes > queueBytesMax)
      return Promise.reject(new LogError('log_full', `${this.queuedBytes} bytes wait for Kafka already`));
    return new Promise((resolve, reject) => {
      this.queue.push({ records, bytes, sent: 0, sentBefore: 0, resolve, reject });
      this.queuedBytes += bytes;
      this.sending ??= this.sendAll();
    });
  }

  /** Begins no other request: what waits and what comes is rejected with this error. */
  end(reason: LogError): void {
    this.ended ??= reason;
  }

  /** Sends what was appended, then disconnects. */
  async close(): Promise<void> {
    this.closed = true;
    await this.sending;
    await this.dropProducer();
  }

  private async sendAll(): Promise<void> {
    // Appends of the same turn of the event loop go together.
    await new Promise(setImmediate);
    while (this.queue.length > 0) {
      try {
        if (this.ended) throw this.ended;
        await this.sendUntilTaken(this.nextSend());
        this.settle();
      } catch (error) {
        this.refuse(toLogError(error, 'appending'));
      }
    }
    this.sending = null;
  }

  /**
   * Tries again what may succeed later, for a while. What became of a failed request is not known: kafkajs gives the
   * numbers of its batches out again, and another batch under them would be taken for a repeat. So a new producer, with
   * numbers of its own, tries; it may double records, which readers tell by their `seq`.
   */
  private async sendUntilTaken(records: readonly AppendRecord[]): Promise<void> {
    const { retryForMs = RETRY_FOR_MS } = this.options;
    const deadline = Date.now() + retryForMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.send(records);
      } catch (error) {
        await this.dropProducer();
        if (this.ended) throw this.ended;
        const { canRetry } = toLogError(error, 'appending');
        if (!canRetry || this.closed || Date.now() >= deadline) throw error;
        await backoff(attempt);
      }
    }
  }

  /** The records from the head of the queue on that fit into one request. */
  private nextSend(): AppendRecord[] {
    const picked: AppendRecord[] = [];
    const bytesIn = new Map<string, number>();
    let total = 0;
    for (const append of this.queue) append.sentBefore = append.sent;
    for (const append of this.apart > 0 ? this.queue.slice(0, 1) : this.queue) {
      while (append.sent < append.records.length) {
        const record = append.records[append.sent]!;
        const size = bytesOf(record);
        const partition = partitionName(record);
        const before = bytesIn.get(partition) ?? 0;
        if (picked.length > 0 && total + size > SEND_BYTES_MAX) return picked;
        if (before > 0 && before + size > SEND_PARTITION_BYTES_MAX) return picked;
        bytesIn.set(partition, before + size);
        total += size;
        picked.push(record);
        append.sent += 1;
      }
    }
    return picked;
  }

  private async send(records: readonly AppendRecord[]): Promise<void> {
    const appendedAt = String(Date.now());
    const counts = new Map<string, number>();
    for (const record of records) {
      const name = partitionName(record);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const bytes = records.reduce((sum, record) => sum + bytesOf(record), 0);
    const producer = await this.connected();
    const answers = await producer.sendBatch({
      acks: -1,
      compression: compressionFor(bytes),
      topicMessages: [...groupBy(records, ({ topic }) => topic)].map(([topic, ofTopic]) => ({
        topic,
        messages: ofTopic.map((record) => toMessage(record, appendedAt)),
      })),
    });
    for (const { topicName: topic, partition, baseOffset } of answers) {
      const count = counts.get(partitionName({ topic, partition })) ?? 0;
      this.options.onAppended({ topic, partition }, Number(baseOffset) + count);
    }
  }

  private settle(): void {
    let done = 0;
    for (const append of this.queue) {
      if (append.sent < append.records.length) break;
      this.queuedBytes -= append.bytes;
      append.resolve();
      done += 1;
    }
    this.queue = this.queue.slice(done);
    this.apart = Math.max(0, this.apart - done);
  }

  private refuse(error: LogError): void {
    const tried = this.queue.filter(({ sent, sentBefore }) => sent > sentBefore);
    if (error.code === 'log_fenced') this.options.onFenced?.(error);
    if (error.code !== 'log_too_large') this.fail(error);
    else if (tried.length > 1) {
      for (const append of tried) append.sent = append.sentBefore;
      this.apart = tried.length;
    } else {
      // Its own size is the matter of this append alone.
      const guilty = this.queue.shift()!;
      this.queuedBytes -= guilty.bytes;
      this.apart = Math.max(0, this.apart - 1);
      guilty.reject(error);
    }
  }

  /** Whatever was handed over behind a failed request fails with it: nothing may overtake what is tried again. */
  private fail(error: LogError): void {
    const failed = this.queue;
    this.queue = [];
    this.queuedBytes = 0;
    this.apart = 0;
    for (const append of failed) append.reject(error);
  }

  private connected(): Promise<BatchProducer> {
    this.producer ??= this.options.connect();
    return this.producer;
  }

  private async dropProducer(): Promise<void> {
    const producer = this.producer;
    this.producer = null;
    await (await producer?.catch(() => null))?.disconnect();
  }
}
