import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type AppendRecord, type EventLog, LogError, type TopicPartition, type TopicStorage } from '../log.ts';
import { Appender } from './appender.ts';
import type { FetchFrom } from './connection.ts';
import { createKafkaClient, type KafkaClient } from './kafka-client.ts';
import { KafkaGroupMember } from './kafka-group.ts';
import { KafkaReader } from './kafka-reader.ts';
import { PointReads } from './point-reads.ts';
import { Topics } from './topics.ts';
import { WatermarkBoard } from './watermark-board.ts';
import { WatermarkFollower } from './watermark-follower.ts';
import { WATERMARKS_AT, watermarkTopic } from './watermark-topic.ts';
import { WatermarkWriter } from './watermark-writer.ts';

const DAY_MS = 86_400_000;
const RAW_MAX_AGE_MS = 30 * DAY_MS;
const WATERMARK_INTERVAL_MS = 50;
/** How long closing waits for the last watermarks. */
const LAST_WATERMARKS_MS = 1_000;

export interface KafkaLogOptions {
  /** `host:port` of some brokers of the cluster; the others are found through them. */
  readonly brokers: readonly string[];
  /** Told what kafkajs tells; silence without it. */
  readonly logger?: Logger;
  /** Age that raw and derived topics keep records for, ms. */
  readonly rawMaxAgeMs?: number;
  /** How often at most watermarks are written, ms. */
  readonly watermarkIntervalMs?: number;
}

/** Opens the log on a Kafka cluster of 2.1 or newer. Rejects with `log_unavailable` when no broker answers. */
export async function openKafkaLog(options: KafkaLogOptions): Promise<EventLog> {
  const log = new KafkaLog(options);
  try {
    await log.open();
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

class KafkaLog implements EventLog {
  private readonly logger: Logger | undefined;
  private readonly client: KafkaClient;
  private readonly topics: Topics;
  private readonly points: PointReads;
  private readonly appender: Appender;
  private readonly board = new WatermarkBoard();
  private readonly watermarks: WatermarkWriter;
  private readonly follower: WatermarkFollower;
  private readonly openOnes = new Set<KafkaReader | KafkaGroupMember>();
  private closed = false;

  constructor({ brokers, logger, rawMaxAgeMs, watermarkIntervalMs }: KafkaLogOptions) {
    this.logger = logger;
    this.client = createKafkaClient(brokers, logger);
    this.topics = new Topics(this.client, rawMaxAgeMs ?? RAW_MAX_AGE_MS);
    this.points = new PointReads(this.client);
    this.appender = new Appender({
      client: this.client,
      onAppended: (at, next) => this.watermarks.appended(at, next),
    });
    this.watermarks = new WatermarkWriter({
      board: this.board,
      writerId: randomUUID(),
      intervalMs: watermarkIntervalMs ?? WATERMARK_INTERVAL_MS,
      append: (records) => this.appender.append(records),
      bounds: (at) => this.points.bounds(at),
      logger,
    });
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
    await this.appender.append(records);
  }

  advance(watermarks: readonly (TopicPartition & { readonly watermark: number })[]): void {
    this.assertOpen();
    for (const mark of watermarks) this.topics.checkKnown(mark);
    this.watermarks.advance(watermarks);
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
    const onClose = (closed: KafkaGroupMember) => void this.openOnes.delete(closed);
    const member = new KafkaGroupMember({ client: this.client, groupId, topics, logger: this.logger, onClose });
    this.openOnes.add(member);
    await member.join();
    return member;
  }

  async bounds(at: TopicPartition) {
    await this.check(at);
    return this.points.bounds(at);
  }

  async last(at: TopicPartition) {
    await this.check(at);
    return this.points.last(at);
  }

  async offsetAt(at: TopicPartition, appendedAt: number) {
    await this.check(at);
    return this.points.offsetAt(at, appendedAt);
  }

  async clearTopic(topic: string) {
    this.assertOpen();
    await this.topics.clear(topic);
    await this.watermarks.clear(topic);
  }

  /** The brokers apply retention and compaction by themselves. */
  async maintain() {
    this.assertOpen();
    return 0;
  }

  async close() {
    if (this.closed) return;
    this.closed = true;
    await Promise.all([this.follower.close(), ...[...this.openOnes].map((one) => one.close())]);
    const written = this.watermarks.close();
    // While no broker answers, the last watermarks would be tried for long; they are promised again after a start.
    await Promise.race([written, sleep(LAST_WATERMARKS_MS, undefined, { ref: false })]);
    await this.appender.close();
    await written;
    await this.points.close();
  }

  private async read(from: readonly FetchFrom[]): Promise<KafkaReader> {
    const { client, board, logger } = this;
    const onClose = (closed: KafkaReader) => void this.openOnes.delete(closed);
    const reader = new KafkaReader(from, { client, board, logger, onClose });
    this.openOnes.add(reader);
    await reader.open();
    return reader;
  }

  private async check(at: TopicPartition): Promise<void> {
    this.assertOpen();
    await this.topics.check([at]);
  }

  private assertOpen(): void {
    if (this.closed) throw new LogError('log_closed', 'the log was closed');
  }
}
