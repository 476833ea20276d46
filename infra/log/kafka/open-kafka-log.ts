import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { KAFKA_ADVICE, withAdvice } from '../../config/connection-advice.ts';
import {
  type AppendRecord,
  type EventLog,
  type Lease,
  type LeaseOptions,
  LogError,
  type TopicPartition,
  type TopicSize,
  type TopicStorage,
} from '../log.ts';
import type { FetchFrom } from './connection.ts';
import { createKafkaClient, type KafkaClient, type KafkaClientOptions } from './kafka-client.ts';
import { KafkaGroupMember } from './kafka-group.ts';
import { acquireLease, type KafkaLease } from './kafka-lease.ts';
import { KafkaReader } from './kafka-reader.ts';
import { KafkaWriter, type KafkaWriterOptions } from './kafka-writer.ts';
import { leaseTopic } from './lease-member.ts';
import { PointReads } from './point-reads.ts';
import { connectProducer } from './producers.ts';
import { readPromisedUntil } from './promised-until.ts';
import { Topics } from './topics.ts';
import { WatermarkBoard } from './watermark-board.ts';
import { WatermarkFollower } from './watermark-follower.ts';
import { WATERMARKS_AT, watermarkTopic } from './watermark-topic.ts';
import { Writers } from './writers.ts';

const DAY_MS = 86_400_000;
const RAW_MAX_AGE_MS = 30 * DAY_MS;
const WATERMARK_INTERVAL_MS = 50;
/** Silence after which the holder of a lease counts as dead. */
const LEASE_TIMEOUT_MS = 10_000;

/** `logger` also receives the log messages of the adapter. */
export interface KafkaLogOptions extends KafkaClientOptions {
  /** Copies of each partition of a new topic; the broker's default without it. */
  readonly replication?: number | null;
  /** Age up to which raw and derived topics store records, ms. */
  readonly rawMaxAgeMs?: number;
  /** Minimum interval between writes of watermarks, ms. */
  readonly watermarkIntervalMs?: number;
  /** How long the holder of a lease may be silent before a standby takes over, ms. */
  readonly leaseTimeoutMs?: number;
}

/** Opens the log on a Kafka cluster of 2.1 or newer. Rejects with `log_unavailable` when no broker answers. */
export async function openKafkaLog(options: KafkaLogOptions): Promise<EventLog> {
  const log = new KafkaLog(options);
  try {
    await log.open();
    return log;
  } catch (error) {
    await log.close();
    if (!(error instanceof LogError)) throw error;
    throw new LogError(error.code, withAdvice(error.message, KAFKA_ADVICE), { cause: error });
  }
}

class KafkaLog implements EventLog {
  private readonly logger: Logger | undefined;
  private readonly leaseTimeoutMs: number;
  private readonly client: KafkaClient;
  private readonly topics: Topics;
  private readonly points: PointReads;
  private readonly board = new WatermarkBoard();
  private readonly shared: KafkaWriter;
  private readonly writers: Writers;
  private readonly openWriter: (options: Pick<KafkaWriterOptions, 'connect' | 'onFenced'>) => KafkaWriter;
  private readonly follower: WatermarkFollower;
  private readonly openConsumers = new Set<KafkaReader | KafkaGroupMember>();
  private readonly leases = new Set<KafkaLease>();
  private readonly closing = new AbortController();

  constructor(options: KafkaLogOptions) {
    const { logger, replication, rawMaxAgeMs, watermarkIntervalMs, leaseTimeoutMs } = options;
    this.logger = logger;
    this.leaseTimeoutMs = leaseTimeoutMs ?? LEASE_TIMEOUT_MS;
    this.client = createKafkaClient(options);
    this.topics = new Topics(this.client, {
      rawMaxAgeMs: rawMaxAgeMs ?? RAW_MAX_AGE_MS,
      replication: replication ?? null,
    });
    this.points = new PointReads(this.client);
    const writerId = randomUUID();
    this.openWriter = (own) =>
      new KafkaWriter({
        ...own,
        board: this.board,
        writerId,
        intervalMs: watermarkIntervalMs ?? WATERMARK_INTERVAL_MS,
        bounds: (at) => this.points.bounds(at),
        logger,
      });
    this.shared = this.openWriter({ connect: () => connectProducer(this.client) });
    this.writers = new Writers(this.shared);
    this.follower = new WatermarkFollower({
      board: this.board,
      logger,
      offsetAt: (appendedAt) => this.points.offsetAt(WATERMARKS_AT, appendedAt),
      read: (offset) => this.read([{ ...WATERMARKS_AT, offset }]),
    });
  }

  async open(): Promise<void> {
    await this.topics.create([watermarkTopic]);
  }

  async createTopics(topics: readonly TopicStorage[]): Promise<void> {
    this.assertOpen();
    await this.topics.create(topics);
  }

  async append(records: readonly AppendRecord[]): Promise<void> {
    this.assertOpen();
    if (records.length === 0) return;
    await this.topics.check(records);
    await this.writers.append(records);
  }

  advance(watermarks: readonly (TopicPartition & { readonly watermark: number })[]): void {
    this.assertOpen();
    for (const mark of watermarks) this.topics.checkKnown(mark);
    this.writers.advance(watermarks);
  }

  async lease(name: string, topics: readonly string[], { onStandby, signal }: LeaseOptions = {}): Promise<Lease> {
    this.assertOpen();
    await this.topics.create([leaseTopic]);
    await this.topics.check(topics.map((topic) => ({ topic, partition: 0 })));
    const { client, logger, leaseTimeoutMs: timeoutMs, openWriter } = this;
    const ended = signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal;
    // The holder's watermarks are fenced together with its records.
    const covered = await Promise.all([...topics, watermarkTopic.name].map((topic) => this.allPartitionsOf(topic)));
    const partitions = covered.flat();
    const lease = await acquireLease(
      { client, name, partitions, timeoutMs, logger, openWriter },
      { signal: ended, ...(onStandby ? { onStandby } : {}) },
    );
    this.leases.add(lease);
    this.writers.lease(topics, lease.writer);
    const read = (offset: number) => this.read([{ ...WATERMARKS_AT, offset }]);
    try {
      const promised = await readPromisedUntil(topics, this.points, read);
      return { lost: lease.lost, promisedUntil: promised, release: () => this.release(lease) };
    } catch (error) {
      await this.release(lease);
      throw error;
    }
  }

  async reader(from: readonly FetchFrom[]): Promise<KafkaReader> {
    this.assertOpen();
    await this.topics.check(from);
    this.follower.start();
    return this.read(from);
  }

  async group(groupId: string, topics: readonly string[]): Promise<KafkaGroupMember> {
    this.assertOpen();
    await this.topics.check(topics.map((topic) => ({ topic, partition: 0 })));
    const onClose = (closed: KafkaGroupMember) => void this.openConsumers.delete(closed);
    const member = new KafkaGroupMember({ client: this.client, groupId, topics, logger: this.logger, onClose });
    this.openConsumers.add(member);
    await member.join();
    return member;
  }

  async committed(groupId: string, at: readonly TopicPartition[]) {
    this.assertOpen();
    await this.topics.check(at);
    return this.points.committed(groupId, at);
  }

  async bounds(at: TopicPartition) {
    await this.check(at);
    return this.points.bounds(at);
  }

  async last(at: TopicPartition) {
    await this.check(at);
    return this.points.last(at);
  }

  async recordFrom(at: TopicPartition & { readonly offset: number }) {
    await this.check(at);
    return this.points.recordFrom(at);
  }

  async offsetAt(at: TopicPartition, appendedAt: number) {
    await this.check(at);
    return this.points.offsetAt(at, appendedAt);
  }

  async sizes(): Promise<readonly TopicSize[]> {
    this.assertOpen();
    const topics = await this.topics.all();
    const bytes = await this.points.storedBytes(topics.keys(), this.logger);
    const sizes = [...topics].map(([topic, partitions]) => this.sizeOf(topic, partitions, bytes?.get(topic) ?? null));
    return Promise.all(sizes);
  }

  async clearTopic(topic: string) {
    this.assertOpen();
    await this.topics.clear(topic);
    await this.writers.of(topic).watermarks.clear(topic);
  }

  /** Does nothing: the brokers apply retention and compaction by themselves. */
  async maintain() {
    this.assertOpen();
    return 0;
  }

  async close() {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    await Promise.all([this.follower.close(), ...[...this.openConsumers].map((one) => one.close())]);
    await Promise.all([...this.leases].map((lease) => lease.release()));
    await this.shared.close();
    await this.points.close();
  }

  private async sizeOf(topic: string, partitions: readonly TopicPartition[], bytes: number | null): Promise<TopicSize> {
    const bounds = await Promise.all(partitions.map((at) => this.points.bounds(at)));
    const oldest = await Promise.all(partitions.map((at) => this.points.recordFrom({ ...at, offset: 0 })));
    const times = oldest.flatMap((record) => record?.appendedAt ?? []);
    return {
      topic,
      records: bounds.reduce((sum, { first, next }) => sum + next - first, 0),
      bytes,
      oldestAt: times.length === 0 ? null : Math.min(...times),
    };
  }

  private async read(from: readonly FetchFrom[]): Promise<KafkaReader> {
    const { client, board, logger } = this;
    const onClose = (closed: KafkaReader) => void this.openConsumers.delete(closed);
    const reader = new KafkaReader(from, { client, board, logger, onClose });
    this.openConsumers.add(reader);
    await reader.open();
    return reader;
  }

  private async allPartitionsOf(topic: string): Promise<TopicPartition[]> {
    return (await this.topics.partitionsOf(topic)).map((partition) => ({ topic, partition }));
  }

  private async release(lease: KafkaLease): Promise<void> {
    this.leases.delete(lease);
    await lease.release();
  }

  private async check(at: TopicPartition): Promise<void> {
    this.assertOpen();
    await this.topics.check([at]);
  }

  private assertOpen(): void {
    if (this.closing.signal.aborted) throw new LogError('log_closed', 'the log was closed');
  }
}
