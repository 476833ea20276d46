import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import { deadLetterOf } from '#infra/log/dead-letter';
import type { EventLog } from '#infra/log/log';
import { type Store, StoreError } from '#infra/store/store';
import type { Metrics } from '#infra/telemetry/metrics';
import type { TableSpec } from '#schemas/tables/table';
import type { Batch, BatchEntry, DeadEntry } from './batch.ts';
import type { Persistence } from './persistence.ts';

/** Stage name in the dead letters. */
const STAGE = 'sink';

export interface BatchWriterOptions {
  readonly log: EventLog;
  readonly store: Pick<Store, 'insert'>;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly persistence: Persistence;
}

/** Writes batches: rows into their tables, and rows that the store rejects to the dead letters. */
export class BatchWriter {
  private readonly options: BatchWriterOptions;

  constructor(options: BatchWriterOptions) {
    this.options = options;
  }

  /** Resolves once every record of the batch is stored as a row or as a dead letter. */
  async write(batch: Batch): Promise<void> {
    const dead = [...batch.dead];
    for (const [table, entries] of batch.rows()) await this.insert(table, entries, dead);
    await this.writeDeadLetters(dead);
  }

  /** Inserts rows. A rejected batch is halved until each faulty row is alone; the others are stored. */
  private async insert(table: TableSpec, entries: readonly BatchEntry[], dead: DeadEntry[]): Promise<void> {
    const { store, metrics, persistence } = this.options;
    const rows = entries.map((entry) => entry.row);
    try {
      await persistence.run(() => store.insert(table.name, rows));
      metrics.rowsInserted.inc({ table: table.name }, rows.length);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store_rejected') throw error;
      const [only] = entries;
      if (entries.length === 1 && only) {
        dead.push({ record: only.record, reason: error.code, detail: error.message });
        return;
      }
      const middle = entries.length >> 1;
      await this.insert(table, entries.slice(0, middle), dead);
      await this.insert(table, entries.slice(middle), dead);
    }
  }

  private async writeDeadLetters(dead: readonly DeadEntry[]): Promise<void> {
    if (dead.length === 0) return;
    const { log, codec, logger, metrics, persistence } = this.options;
    // A batch that is written again after a crash repeats its dead letters under the same key.
    const records = dead.map(({ record, reason, detail }) =>
      deadLetterOf(codec, record, { stage: STAGE, reason, detail }),
    );
    await persistence.run(() => log.append(records));
    for (const { record, reason, detail } of dead) {
      metrics.deadLetters.inc({ topic: record.topic, reason });
      logger.warn(
        { topic: record.topic, partition: record.partition, offset: record.offset, reason, detail },
        'dead letter',
      );
    }
  }
}
