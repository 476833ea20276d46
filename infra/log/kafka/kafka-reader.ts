import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backoffMs } from '../../retry.ts';
import {
  LogError,
  type LogReader,
  type LogRecord,
  type ReadBatch,
  type TopicPartition,
  type Watermark,
} from '../log.ts';
import { Notifier } from '../notifier.ts';
import { partitionName } from '../partition-name.ts';
import { RECORD_BYTES_MAX } from '../record-size.ts';
import { Connection, type FetchFrom } from './connection.ts';
import { protocolType, toLogError } from './errors.ts';
import { groupBy } from './group-by.ts';
import type { Cluster, KafkaClient } from './kafka-client.ts';
import { boundsOf, leaderOf } from './point-reads.ts';
import { ReadPosition } from './read-position.ts';
import type { WatermarkBoard } from './watermark-board.ts';

/** A fetch that waits cannot take up a partition that was paused meanwhile, so it waits only this long. */
const FETCH_WAIT_MS = 50;
const FETCH_BYTES = 8 * 1024 * 1024;
/** Above the largest batch that the appender makes; what is larger is asked for alone. */
const PARTITION_FETCH_BYTES = 1024 * 1024;
/** Fetched and not yet polled, of all partitions that are not paused. A paused one must not keep the others from being read. */
const QUEUE_BYTES_MAX = 32 * 1024 * 1024;
/** A broker may be away for this long before polls tell of it. */
const UNAVAILABLE_AFTER_MS = 120_000;

export interface KafkaReaderOptions {
  readonly client: KafkaClient;
  readonly board: WatermarkBoard;
  readonly logger: Logger | undefined;
  readonly onClose: (reader: KafkaReader) => void;
}

/** Fetches ahead of its polls, from each leader by itself, within bounds. */
export class KafkaReader implements LogReader {
  private readonly options: KafkaReaderOptions;
  private readonly connection: Connection;
  private readonly positions: Map<string, ReadPosition>;
  /** Positions with records to hand out or a new promise. */
  private readonly dirty = new Set<ReadPosition>();
  private readonly unlisten: (() => void)[];
  private readonly inFlight = new Set<string>();
  private failures = 0;
  private failingSince = 0;
  private recovering: Promise<void> | null = null;
  private fault: LogError | null = null;
  private readonly news = new Notifier();
  private readonly closing = new AbortController();

  constructor(from: readonly FetchFrom[], options: KafkaReaderOptions) {
    this.options = options;
    this.connection = new Connection(options.client);
    this.positions = new Map(
      from.map((at) => {
        const position = new ReadPosition(at);
        return [position.name, position];
      }),
    );
    this.unlisten = [...this.positions.values()].map((position) =>
      options.board.listen(position, () => this.mark(position)),
    );
    for (const position of this.positions.values()) this.dirty.add(position);
  }

  /** Finds the leaders and starts to fetch. */
  async open(): Promise<void> {
    if (this.positions.size === 0) return;
    try {
      await this.findLeaders();
      this.pump();
    } catch (error) {
      void this.recover(error);
    }
  }

  async poll(maxRecords: number, timeoutMs: number): Promise<ReadBatch> {
    return this.news.poll(() => this.gather(maxRecords), timeoutMs);
  }

  pause(at: TopicPartition, paused: boolean): void {
    const position = this.positions.get(partitionName(at));
    if (!position) throw new LogError('log_unknown_topic', `this reader does not read ${partitionName(at)}`);
    position.paused = paused;
    if (!paused) this.mark(position);
    // What a paused partition has fetched no longer counts, so there may be room for the others.
    this.pump();
  }

  async close(): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    for (const remove of this.unlisten) remove();
    this.news.tell();
    this.options.onClose(this);
    await this.connection.reset();
    await this.recovering;
  }

  private mark(position: ReadPosition): void {
    this.dirty.add(position);
    if (!position.paused) this.news.tell();
  }

  private gather(maxRecords: number): ReadBatch {
    if (this.closing.signal.aborted) throw new LogError('log_closed', 'the reader was closed');
    const records: LogRecord[] = [];
    const watermarks: Watermark[] = [];
    const ready = [...this.dirty].filter((position) => !position.paused);
    // An equal share each, so that one busy partition cannot starve the others.
    const share = Math.max(1, Math.floor(maxRecords / Math.max(1, ready.length)));
    for (const position of ready) {
      position.hand(Math.min(share, maxRecords - records.length), records);
      if (!position.isEmpty) continue;
      this.dirty.delete(position);
      const watermark = position.watermark(this.options.board.get(position));
      if (watermark <= position.toldWatermark) continue;
      position.toldWatermark = watermark;
      watermarks.push({ topic: position.topic, partition: position.partition, watermark });
    }
    if (records.length > 0) this.pump();
    else if (watermarks.length === 0 && this.fault) throw this.fault;
    return { records, watermarks };
  }

  /** Starts a fetch at every leader that none is under way at and that leads something wanted. */
  private pump(): void {
    if (this.closing.signal.aborted || this.recovering) return;
    const active = [...this.positions.values()].filter(({ paused }) => !paused);
    if (active.reduce((sum, { queuedBytes }) => sum + queuedBytes, 0) >= QUEUE_BYTES_MAX) return;
    const wanted = active.filter(({ wantsMore, leader }) => wantsMore && !this.inFlight.has(leader));
    for (const [leader, positions] of groupBy(wanted, (position) => position.leader)) {
      this.inFlight.add(leader);
      void this.fetchFrom(leader, positions);
    }
  }

  private async fetchFrom(leader: string, positions: readonly ReadPosition[]): Promise<void> {
    const alone = positions.find((position) => position.alone);
    const from = (alone ? [alone] : positions).map(({ topic, partition, fetchOffset: offset }) => ({
      topic,
      partition,
      offset,
    }));
    const limits = {
      waitMs: alone ? 0 : FETCH_WAIT_MS,
      bytes: FETCH_BYTES,
      bytesPerPartition: alone ? RECORD_BYTES_MAX : PARTITION_FETCH_BYTES,
    };
    try {
      const answer = await this.connection.fetch(leader, from, limits);
      if (this.closing.signal.aborted) return;
      for (const fetched of answer) {
        const position = this.positions.get(partitionName(fetched))!;
        if (position.take(fetched)) this.mark(position);
      }
      if (this.failures > 1) this.options.logger?.info({ attempts: this.failures }, 'reading from Kafka goes on');
      this.failures = 0;
      this.fault = null;
      this.inFlight.delete(leader);
      this.pump();
    } catch (error) {
      this.inFlight.delete(leader);
      void this.recover(error);
    }
  }

  private recover(error: unknown): Promise<void> {
    this.recovering ??= this.recoverFrom(error).finally(() => {
      this.recovering = null;
      this.pump();
    });
    return this.recovering;
  }

  /** After a failure of any kind: new connections, new leaders, and the same offsets unless they are gone. */
  private async recoverFrom(error: unknown): Promise<void> {
    for (let cause = error; !this.closing.signal.aborted; ) {
      this.note(cause);
      await this.connection.reset();
      try {
        await sleep(backoffMs(Math.min(this.failures - 1, 5)), undefined, { signal: this.closing.signal });
        const cluster = await this.findLeaders();
        if (protocolType(cause) === 'OFFSET_OUT_OF_RANGE') await this.moveIntoBounds(cluster);
        return;
      } catch (next) {
        cause = next;
      }
    }
  }

  private note(error: unknown): void {
    if (this.failures === 0) this.failingSince = Date.now();
    this.failures += 1;
    const reason = toLogError(error, 'reading');
    if (protocolType(error) === 'OFFSET_OUT_OF_RANGE') return;
    // Once, however long it lasts.
    if (this.failures === 1) this.options.logger?.warn({ error: reason }, 'reading from Kafka fails; trying again');
    if (Date.now() - this.failingSince < UNAVAILABLE_AFTER_MS) return;
    this.fault = reason;
    this.news.tell();
  }

  private async findLeaders(): Promise<Cluster> {
    const cluster = await this.connection.open(new Set([...this.positions.values()].map(({ topic }) => topic)));
    for (const position of this.positions.values()) position.leader = leaderOf(cluster, position);
    return cluster;
  }

  /** Retention or a rebuild removed records that were still to be read: goes on with what there is. */
  private async moveIntoBounds(cluster: Cluster): Promise<void> {
    const positions = [...this.positions.values()];
    const bounds = await boundsOf(cluster, positions);
    for (const [index, position] of positions.entries()) {
      const from = position.fetchOffset;
      if (!position.moveInto(bounds[index]!)) continue;
      this.options.logger?.warn(
        { partition: position.name, from, to: position.fetchOffset },
        'records to read are gone from the log',
      );
      this.mark(position);
    }
  }
}
