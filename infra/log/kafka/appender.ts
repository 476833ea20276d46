import { backoff } from '../../runtime/retry.ts';
import { type AppendRecord, LogError, type TopicPartition } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import { bytesOf, checkSizes } from '../record-size.ts';
import { toLogError } from './errors.ts';
import { groupBy } from './group-by.ts';
import { type BatchProducer, compressionFor } from './kafka-client.ts';
import { toMessage } from './record-mapping.ts';

/** Queued bytes above which appends are refused with `log_full`: the caller must slow down. */
const QUEUE_BYTES_MAX = 64 * 1024 * 1024;
const SEND_BYTES_MAX = 4 * 1024 * 1024;
/** Limit for one partition in a send, which is one batch; a broker accepts batches of 1 MiB by default. */
const SEND_PARTITION_BYTES_MAX = 900 * 1024;
/** A broker restarts in less time; after this, waiting appends are rejected. */
const RETRY_FOR_MS = 30_000;

interface Append {
  readonly records: readonly AppendRecord[];
  readonly bytes: number;
  /** Number of records sent, and sent before the current request. */
  sent: number;
  sentBefore: number;
  readonly resolve: () => void;
  readonly reject: (error: LogError) => void;
}

export interface AppenderOptions {
  /** Connects a producer with its own sequence numbers. */
  readonly connect: () => Promise<BatchProducer>;
  /** Called with the offset after the last record that a send appended to a partition. */
  readonly onAppended: (at: TopicPartition, next: number) => void;
  /** Called if another writer has taken over the topics. */
  readonly onFenced?: (error: LogError) => void;
  readonly queueBytesMax?: number;
  readonly retryForMs?: number;
}

/**
 * Sends appends in order, one request at a time: appends that arrive meanwhile share the next request. The producer is
 * idempotent, so a request that is repeated after a lost answer counts once.
 */
export class Appender {
  private readonly options: AppenderOptions;
  private queue: Append[] = [];
  private queuedBytes = 0;
  /** Number of appends at the head of the queue that are sent one by one, to find which of them the broker refuses. */
  private isolated = 0;
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
    // A single append above the limit is accepted if the queue is empty.
    if (this.queuedBytes > 0 && this.queuedBytes + bytes > queueBytesMax)
      return Promise.reject(new LogError('log_full', `${this.queuedBytes} bytes are already queued for Kafka`));
    return new Promise((resolve, reject) => {
      this.queue.push({ records, bytes, sent: 0, sentBefore: 0, resolve, reject });
      this.queuedBytes += bytes;
      this.sending ??= this.sendAll();
    });
  }

  /** Starts no other request: waiting and later appends are rejected with this error. */
  end(reason: LogError): void {
    this.ended ??= reason;
  }

  /** Sends the queued appends, then disconnects. */
  async close(): Promise<void> {
    this.closed = true;
    await this.sending;
    await this.dropProducer();
  }

  private async sendAll(): Promise<void> {
    // Appends of the same turn of the event loop share a request.
    await new Promise(setImmediate);
    while (this.queue.length > 0) {
      try {
        if (this.ended) throw this.ended;
        await this.sendWithRetries(this.nextSend());
        this.resolveSent();
      } catch (error) {
        this.rejectFailed(toLogError(error, 'appending'));
      }
    }
    this.sending = null;
  }

  /**
   * Sends records, and retries transient failures for a while. The outcome of a failed request is unknown: kafkajs
   * reuses the numbers of its batches, and another batch under them would be treated as a repeat. So a new producer with
   * its own numbers sends again; it may double records, which readers detect by their `seq`.
   */
  private async sendWithRetries(records: readonly AppendRecord[]): Promise<void> {
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

  /** Returns the records from the head of the queue that fit into one request. */
  private nextSend(): AppendRecord[] {
    const picked: AppendRecord[] = [];
    const bytesIn = new Map<string, number>();
    let total = 0;
    for (const append of this.queue) append.sentBefore = append.sent;
    for (const append of this.isolated > 0 ? this.queue.slice(0, 1) : this.queue) {
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

  private resolveSent(): void {
    let done = 0;
    for (const append of this.queue) {
      if (append.sent < append.records.length) break;
      this.queuedBytes -= append.bytes;
      append.resolve();
      done += 1;
    }
    this.queue = this.queue.slice(done);
    this.isolated = Math.max(0, this.isolated - done);
  }

  private rejectFailed(error: LogError): void {
    const tried = this.queue.filter(({ sent, sentBefore }) => sent > sentBefore);
    if (error.code === 'log_fenced') this.options.onFenced?.(error);
    if (error.code !== 'log_too_large') this.fail(error);
    else if (tried.length > 1) {
      for (const append of tried) append.sent = append.sentBefore;
      this.isolated = tried.length;
    } else {
      // Only this append is too large.
      const refused = this.queue.shift()!;
      this.queuedBytes -= refused.bytes;
      this.isolated = Math.max(0, this.isolated - 1);
      refused.reject(error);
    }
  }

  /** Rejects every queued append: none may overtake the failed request when it is repeated. */
  private fail(error: LogError): void {
    const failed = this.queue;
    this.queue = [];
    this.queuedBytes = 0;
    this.isolated = 0;
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
