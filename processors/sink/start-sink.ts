/**
 * The sink: decodes every topic that fills a table and inserts the rows in batches. The offsets of a batch are
 * committed after its rows are stored, so a crash repeats rows and loses none; repeats count once
 * (`ReplacingMergeTree`).
 */

import { type GroupConsumer, LogError, type LogRecord } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';
import type { Running } from '#infra/runtime/context';
import type { Health } from '#infra/telemetry/health';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import { addRecords } from './add-records.ts';
import { Batch } from './batch.ts';
import { BatchWriter } from './batch-writer.ts';
import { HeldRecords } from './held-records.ts';
import { Persistence } from './persistence.ts';
import { BATCH_BYTES_MAX, BATCH_ROWS, prepareTopics, SINK_TOPIC_NAMES, type SinkContext } from './sink-context.ts';
import { SinkLag } from './sink-lag.ts';

const BATCH_MS = 250;
/**
 * A batch waits this many times as long as the previous one took to write, so that writing takes a fifth of the time at
 * most: under load, fewer and larger batches cost the store less, since it merges what each of them inserted.
 */
const TIMES_WRITING = 4;
/** It never waits longer: requests that wait for rows wait for 2 s. */
const BATCH_MS_MAX = 1_000;
/** For how long an idle sink waits for records before it checks whether to stop. */
const IDLE_POLL_MS = 250;
/** The same while it holds records back. */
const HELD_POLL_MS = 20;

export interface SinkOptions extends SinkContext {
  readonly health: Health;
  /** Most records per batch. */
  readonly batchRows?: number;
  /** For how long the first record of a batch waits for others at least. */
  readonly batchMs?: number;
}

/** For how long a batch waits after one that took this long to write, in ms. */
export function batchWaitMs(writingMs: number, leastMs: number): number {
  return Math.max(leastMs, Math.min(TIMES_WRITING * writingMs, BATCH_MS_MAX));
}

/** Starts the sink. `close` writes the records that were read, then leaves the group. */
export async function startSink(options: SinkOptions): Promise<Running> {
  const { log, logger, health } = options;
  health.expect('sink');
  await prepareTopics(options);
  const lag = new SinkLag(options);
  const consumer = await log.group(SINK_GROUP, SINK_TOPIC_NAMES);
  const loop = new SinkLoop({ ...options, onWritten: (record) => lag.written(record) }, consumer);
  health.ready('sink');
  await lag.start((error) => logger.error({ error }, 'the lag of the sink is no longer measured'));
  // An error is reported in the application log and in health; it must not end the process as an unhandled rejection.
  const stopped = loop.run().catch((error) => {
    logger.error({ error }, 'the sink stopped because of an error');
    health.failed('sink', error);
  });
  return {
    async close() {
      loop.stop();
      await Promise.all([stopped, lag.close()]);
      await consumer.close();
    },
  };
}

interface SinkLoopOptions extends SinkOptions {
  /** Called with the newest record of each partition of a written batch. */
  readonly onWritten: (record: LogRecord) => void;
}

class SinkLoop {
  private readonly options: SinkLoopOptions;
  private readonly consumer: GroupConsumer;
  private readonly closing = new AbortController();
  private readonly persistence: Persistence;
  private readonly writer: BatchWriter;
  private readonly held: HeldRecords;
  private readonly batchRows: number;
  private readonly batchMsMin: number;
  /** For how long the first record of a batch waits for others. */
  private batchMs: number;
  private batch = new Batch();
  /** The write of a batch while the next one is collected; resolves with the error, or null. */
  private writing: Promise<unknown> = Promise.resolve(null);
  private failed = false;

  constructor(options: SinkLoopOptions, consumer: GroupConsumer) {
    this.options = options;
    this.consumer = consumer;
    this.batchRows = options.batchRows ?? BATCH_ROWS;
    this.batchMsMin = options.batchMs ?? BATCH_MS;
    this.batchMs = this.batchMsMin;
    const { logger, health } = options;
    this.persistence = new Persistence({ logger, health, closing: this.closing.signal });
    this.writer = new BatchWriter({ ...options, persistence: this.persistence });
    this.held = new HeldRecords({ log: options.log, persistence: this.persistence });
  }

  stop(): void {
    this.closing.abort();
  }

  async run(): Promise<void> {
    while (!this.closing.signal.aborted && !this.failed) {
      await addRecords(await this.held.add(await this.poll()), this.batch, this.options.codec, this.persistence);
      if (this.isDue()) await this.startWriting();
    }
    await this.startWriting();
    await this.written();
  }

  private poll(): Promise<readonly LogRecord[]> {
    const idleMs = this.held.isEmpty ? IDLE_POLL_MS : HELD_POLL_MS;
    const waitMs = this.batch.records === 0 ? idleMs : this.batch.openedAt + this.batchMs - Date.now();
    return this.persistence.run(() =>
      this.consumer.poll(this.batchRows - this.batch.records, Math.max(0, Math.min(idleMs, waitMs))),
    );
  }

  private isDue(): boolean {
    const { records, bytes, openedAt } = this.batch;
    if (records >= this.batchRows || bytes >= BATCH_BYTES_MAX) return true;
    return records > 0 && Date.now() - openedAt >= this.batchMs;
  }

  /** Starts to write the batch once the previous one is written, so there are at most two in memory. */
  private async startWriting(): Promise<void> {
    await this.written();
    const batch = this.batch;
    this.batch = new Batch();
    if (batch.records === 0) return;
    this.writing = this.write(batch).then(
      () => null,
      (error: unknown) => {
        this.failed = true;
        return error;
      },
    );
  }

  private async written(): Promise<void> {
    const error = await this.writing;
    if (error !== null) throw error;
  }

  private async write(batch: Batch): Promise<void> {
    const startedAt = performance.now();
    await this.writer.write(batch);
    await this.commit(batch.nextOffsets());
    this.batchMs = batchWaitMs(performance.now() - startedAt, this.batchMsMin);
    for (const record of batch.newestRecords()) this.options.onWritten(record);
  }

  private async commit(offsets: ReturnType<Batch['nextOffsets']>): Promise<void> {
    try {
      await this.persistence.run(() => this.consumer.commit(offsets));
    } catch (error) {
      if (!(error instanceof LogError) || error.code !== 'log_fenced') throw error;
      // Another member now owns some of the partitions and writes their records again, which changes nothing.
      const held = new Set(this.consumer.assignment().map(partitionName));
      const ours = offsets.filter((at) => held.has(partitionName(at)));
      this.options.logger.info(
        { partitions: offsets.length - ours.length },
        'partitions were reassigned to another member of the sink',
      );
      if (ours.length < offsets.length && ours.length > 0) await this.commit(ours);
    }
  }
}
