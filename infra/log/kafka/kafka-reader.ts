import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backoffMs } from '../../runtime/retry.ts';
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

/**
 * How long a broker waits for new records. Short if a partition is left out of the fetch, since a pending fetch cannot
 * add a partition that may be read again meanwhile.
 */
const FETCH_WAIT_MS = 500;
const PARTIAL_FETCH_WAIT_MS = 50;
const FETCH_BYTES = 8 * 1024 * 1024;
/** Larger than the largest batch of the appender; larger batches are fetched alone. */
const PARTITION_FETCH_BYTES = 1024 * 1024;
/**
 * Limit for bytes that were fetched and not polled, for all partitions that are not paused. A paused one must not
 * prevent reading the others.
 */
const QUEUE_BYTES_MAX = 32 * 1024 * 1024;
/** Polls reject once the broker has been unavailable for this long. */
const UNAVAILABLE_AFTER_MS = 120_000;

export interface KafkaReaderOptions {
  readonly client: KafkaClient;
  readonly board: WatermarkBoard;
  readonly logger: Logger | undefined;
  readonly onClose: (reader: KafkaReader) => void;
}

/** Fetches ahead of its polls, from each leader separately, within limits. */
export class KafkaReader implements LogReader {
  private readonly options: KafkaReaderOptions;
  private readonly connection: Connection;
  private readonly positions: Map<string, ReadPosition>;
  /** Positions with records to deliver or a new watermark. */
  private readonly dirty = new Set<ReadPosition>();
  private readonly removeListeners: (() => void)[];
  private readonly inFlight = new Set<string>();
  private failures = 0;
  private failingSince = 0;
  private recovering: Promise<void> | null = null;
  private fault: LogError | null = null;
  private readonly notifier = new Notifier();
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
    this.removeListeners = [...this.positions.values()].map((position) =>
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
    return this.notifier.poll(() => this.gather(maxRecords), timeoutMs);
  }

  pause(at: TopicPartition, paused: boolean): void {
    const position = this.positions.get(partitionName(at));
    if (!position) throw new LogError('log_unknown_topic', `this reader does not read ${partitionName(at)}`);
    position.paused = paused;
    if (!paused) this.mark(position);
    // Queued bytes of a paused partition do not count, so there may be capacity for the others.
    this.pump();
  }

  endWaits(): void {
    this.notifier.endWaits();
  }

  async close(): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    for (const remove of this.removeListeners) remove();
    this.notifier.notify();
    this.options.onClose(this);
    // Not awaited: it ends with the pending fetch, for whose answer nobody waits.
    void this.connection.reset();
    await this.recovering;
  }

  private mark(position: ReadPosition): void {
    this.dirty.add(position);
    if (!position.paused) this.notifier.notify();
  }

  private gather(maxRecords: number): ReadBatch {
    if (this.closing.signal.aborted) throw new LogError('log_closed', 'the reader was closed');
    const records: LogRecord[] = [];
    const watermarks: Watermark[] = [];
    const ready = [...this.dirty].filter((position) => !position.paused);
    // An equal share each, so that one busy partition cannot starve the others.
    const share = Math.max(1, Math.floor(maxRecords / Math.max(1, ready.length)));
    for (const position of ready) {
      position.drainInto(Math.min(share, maxRecords - records.length), records);
      if (!position.isEmpty) continue;
      this.dirty.delete(position);
      const watermark = position.watermark(this.options.board.get(position));
      if (watermark <= position.deliveredWatermark) continue;
      position.deliveredWatermark = watermark;
      watermarks.push({ topic: position.topic, partition: position.partition, watermark });
    }
    if (records.length > 0) this.pump();
    else if (watermarks.length === 0 && this.fault) throw this.fault;
    return { records, watermarks };
  }

  /** Starts a fetch at every leader of a partition that needs records, unless one is pending there. */
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
      waitMs: alone ? 0 : this.isComplete(leader, positions) ? FETCH_WAIT_MS : PARTIAL_FETCH_WAIT_MS,
      bytes: FETCH_BYTES,
      bytesPerPartition: alone ? RECORD_BYTES_MAX : PARTITION_FETCH_BYTES,
    };
    try {
      const answer = await this.connection.fetch(leader, from, limits);
      if (this.closing.signal.aborted) return;
      for (const fetched of answer) {
        const position = this.positions.get(partitionName(fetched))!;
        if (position.accept(fetched)) this.mark(position);
      }
      if (this.failures > 1) this.options.logger?.info({ attempts: this.failures }, 'reading from Kafka resumed');
      this.failures = 0;
      this.fault = null;
      this.inFlight.delete(leader);
      this.pump();
    } catch (error) {
      this.inFlight.delete(leader);
      void this.recover(error);
    }
  }

  /** True if a fetch of these positions leaves out none that this node leads. */
  private isComplete(leader: string, positions: readonly ReadPosition[]): boolean {
    let led = 0;
    for (const position of this.positions.values()) if (position.leader === leader) led += 1;
    return led === positions.length;
  }

  private recover(error: unknown): Promise<void> {
    this.recovering ??= this.recoverFrom(error).finally(() => {
      this.recovering = null;
      this.pump();
    });
    return this.recovering;
  }

  /** Recovers from any failure: new connections, new leaders, and the same offsets unless they were removed. */
  private async recoverFrom(error: unknown): Promise<void> {
    for (let cause = error; !this.closing.signal.aborted; ) {
      this.recordFailure(cause);
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

  private recordFailure(error: unknown): void {
    if (this.failures === 0) this.failingSince = Date.now();
    this.failures += 1;
    const reason = toLogError(error, 'reading');
    if (protocolType(error) === 'OFFSET_OUT_OF_RANGE') return;
    // Logged once per outage.
    if (this.failures === 1) this.options.logger?.warn({ error: reason }, 'reading from Kafka failed, retrying');
    if (Date.now() - this.failingSince < UNAVAILABLE_AFTER_MS) return;
    this.fault = reason;
    this.notifier.notify();
  }

  private async findLeaders(): Promise<Cluster> {
    const cluster = await this.connection.open(new Set([...this.positions.values()].map(({ topic }) => topic)));
    for (const position of this.positions.values()) position.leader = leaderOf(cluster, position);
    return cluster;
  }

  /** Retention or a rebuild removed records that were still to be read: continues with the remaining ones. */
  private async moveIntoBounds(cluster: Cluster): Promise<void> {
    const positions = [...this.positions.values()];
    const bounds = await boundsOf(cluster, positions);
    for (const [index, position] of positions.entries()) {
      const from = position.fetchOffset;
      if (!position.moveInto(bounds[index]!)) continue;
      this.options.logger?.warn(
        { partition: position.name, from, to: position.fetchOffset },
        'records were removed from the log before they were read',
      );
      this.mark(position);
    }
  }
}
