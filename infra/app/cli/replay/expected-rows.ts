/**
 * Fills the expected tables from the records of the rebuild. The sink's progress decides the table of a row:
 * - `required`: the sink committed its record, so the live table must hold the row or a newer required one;
 * - `pending`: the sink did not commit its record, so the live table may hold the row or not;
 * - `expired`: required, but so old that the store may have expired it (`TableSpec.retentionDays`).
 */

import { addRecords } from '#processors/sink/add-records';
import { Batch } from '#processors/sink/batch';
import { BatchWriter } from '#processors/sink/batch-writer';
import { Persistence } from '#processors/sink/persistence';
import { BATCH_BYTES_MAX, prepareTopics, type SinkContext } from '#processors/sink/sink-context';
import { TABLE_TOPICS, type TableTopic } from '#processors/sink/table-topics';
import { type CreatedTable, createTableStatements } from '#schemas/tables/create-table';
import { TABLES } from '#schemas/tables/index';
import type { LogRecord, TopicPartition } from '../../../log/log.ts';
import { partitionName } from '../../../log/partition-name.ts';
import { readUntil } from '../../../log/read-until.ts';
import { partitionsOf } from '../../../stages/stage-topics.ts';
import type { Store } from '../../../store/store.ts';
import type { SinkProgress } from './compare-topics.ts';
import type { LiveProgress } from './live-progress.ts';
import { isSource } from './overlay-log.ts';

const DAY_MS = 86_400_000;
const BATCH_ROWS = 5_000;
const ATTEMPTS_MAX = 10;

export type RowClass = 'required' | 'pending' | 'expired';

/** Name of the table with the expected rows of a class. */
export function tableOf(table: string, rowClass: RowClass): string {
  return rowClass === 'required' ? table : `${table}_${rowClass}`;
}

export interface ExpectedRowsOptions extends SinkContext {
  readonly progress: LiveProgress;
  /** Progress per derived partition. */
  readonly sink: ReadonlyMap<string, SinkProgress>;
  /** Wall time, unix ms. */
  readonly now: number;
  readonly onFilled?: (topics: number) => void;
}

/** `log` holds the sources and the rebuilt records; `store` is the database to fill, with its tables. */
export async function fillExpectedRows(options: ExpectedRowsOptions): Promise<void> {
  await prepareTopics(options);
  await createVersionTables(options.store);
  const writer = new RowWriter(options);
  for (const [index, target] of [...TABLE_TOPICS.values()].entries()) {
    for (const { at } of partitionsOf([target.topic])) await fillFrom(options, writer, target, at);
    options.onFilled?.(index + 1);
  }
  await writer.flush();
}

/** A live table may hold any pending version of a row, so these tables store every version. */
export async function createVersionTables(store: Store): Promise<void> {
  for (const { name, columns, orderBy, shardBy } of TABLES)
    for (const rowClass of ['pending', 'expired'] as const) {
      const table: CreatedTable = { name: tableOf(name, rowClass), columns, orderBy, shardBy, keepsEveryRow: true };
      for (const statement of createTableStatements(table, store.cluster)) await store.command(statement);
    }
}

async function fillFrom(options: ExpectedRowsOptions, writer: RowWriter, target: TableTopic, at: TopicPartition) {
  const { log } = options;
  const last = await log.last(at);
  if (!last) return;
  const classOf = await classifierFor(options, target, at);
  const range = { from: (await log.bounds(at)).first, last: last.offset };
  for await (const records of readUntil(log, at, range)) await writer.add(records, classOf);
}

/** Classifies records of sources by the offsets that the sink committed, and derived records by their number. */
async function classifierFor(
  { progress, sink, now }: ExpectedRowsOptions,
  { topic, table }: TableTopic,
  at: TopicPartition,
): Promise<(record: LogRecord) => RowClass> {
  const name = partitionName(at);
  // One day of margin, since the clocks of log and store may differ.
  const storedSince = table.retentionDays === undefined ? null : now - (table.retentionDays - 1) * DAY_MS;
  if (isSource(topic.name)) {
    const committed = progress.committed.get(name) ?? 0;
    return ({ offset, appendedAt }) => {
      if (offset >= committed) return 'pending';
      return storedSince !== null && appendedAt < storedSince ? 'expired' : 'required';
    };
  }
  const { committedSeq, newestSeqBefore } = sink.get(name)!;
  const expiredSeq = storedSince === null ? 0 : await newestSeqBefore(storedSince);
  return ({ seq }) => {
    if (seq > committedSeq) return 'pending';
    return seq <= expiredSeq ? 'expired' : 'required';
  };
}

/**
 * Collects rows per class and writes them in large batches. Rows that the store rejects were rejected by the sink, too.
 */
class RowWriter {
  private readonly options: SinkContext;
  private readonly persistence: Persistence;
  private readonly batches = new Map<RowClass, Batch>();

  constructor(options: SinkContext) {
    this.options = options;
    const closing = new AbortController().signal;
    this.persistence = new Persistence({ logger: options.logger, closing, attemptsMax: ATTEMPTS_MAX });
  }

  async add(records: readonly LogRecord[], classOf: (record: LogRecord) => RowClass): Promise<void> {
    const groups = new Map<RowClass, LogRecord[]>();
    for (const record of records) {
      const rowClass = classOf(record);
      const group = groups.get(rowClass);
      if (group) group.push(record);
      else groups.set(rowClass, [record]);
    }
    for (const [rowClass, own] of groups) {
      const batch = this.batches.get(rowClass) ?? new Batch({ keepsEveryVersion: rowClass !== 'required' });
      this.batches.set(rowClass, batch);
      await addRecords(own, batch, this.options.codec, this.persistence);
      if (batch.records >= BATCH_ROWS || batch.bytes >= BATCH_BYTES_MAX) await this.write(rowClass, batch);
    }
  }

  async flush(): Promise<void> {
    for (const [rowClass, batch] of [...this.batches]) await this.write(rowClass, batch);
  }

  private async write(rowClass: RowClass, batch: Batch): Promise<void> {
    this.batches.delete(rowClass);
    const { store } = this.options;
    const tables = { insert: (table, rows) => store.insert(tableOf(table, rowClass), rows) } as Pick<Store, 'insert'>;
    await new BatchWriter({ ...this.options, store: tables, persistence: this.persistence }).write(batch);
  }
}
