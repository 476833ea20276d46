/**
 * Fills the tables that the live ones are compared with, from what the rebuild derived. A row goes where the sink's
 * progress puts it:
 * - `required`: the sink had committed its record, so the live table must hold it or a newer required one;
 * - `pending`: the sink had not committed its record, so the live table may hold it already;
 * - `expired`: required, but so old that the store may have let it go by now (`TableSpec.keptDays`).
 */
import { Batch } from '#processors/sink/batch';
import { BatchWriter } from '#processors/sink/batch-writer';
import { Persistence } from '#processors/sink/persistence';
import { BATCH_BYTES_MAX, prepareTopics, type SinkContext } from '#processors/sink/sink-context';
import { TABLE_TOPICS, type TableTopic } from '#processors/sink/table-topics';
import { takeRecords } from '#processors/sink/take-records';
import { TABLES } from '#schemas/tables/index';
import type { LogRecord, TopicPartition } from '../../log/log.ts';
import { partitionName } from '../../log/partition-name.ts';
import { readUntil } from '../../log/read-until.ts';
import { partitionsOf } from '../../stages/stage-topics.ts';
import type { Store } from '../../store/store.ts';
import type { SinkProgress } from './compare-topics.ts';
import type { LiveProgress } from './live-progress.ts';
import { isSource } from './overlay-log.ts';

const DAY_MS = 86_400_000;
const BATCH_ROWS = 5_000;
const ATTEMPTS_MAX = 10;

export type RowClass = 'required' | 'pending' | 'expired';

/** The table in which the expected rows of a class are. */
export function tableOf(table: string, rowClass: RowClass): string {
  return rowClass === 'required' ? table : `${table}_${rowClass}`;
}

export interface ExpectedRowsOptions extends SinkContext {
  readonly progress: LiveProgress;
  /** Of the derived partitions. */
  readonly sink: ReadonlyMap<string, SinkProgress>;
  /** Wall time, unix ms. */
  readonly now: number;
  readonly onFilled?: (topics: number) => void;
}

/** `log` holds the sources and what was derived again; `store` is the database to fill, with its tables. */
export async function fillExpectedRows(options: ExpectedRowsOptions): Promise<void> {
  await prepareTopics(options);
  await makeVersionTables(options.store);
  const writer = new RowWriter(options);
  for (const [index, target] of [...TABLE_TOPICS.values()].entries()) {
    for (const { at } of partitionsOf([target.topic])) await fillFrom(options, writer, target, at);
    options.onFilled?.(index + 1);
  }
  await writer.flush();
}

/** A live table may hold any of the pending versions of a row, so these tables keep them all. */
export async function makeVersionTables(store: Store): Promise<void> {
  for (const { name, orderBy } of TABLES)
    for (const rowClass of ['pending', 'expired'] as const)
      await store.command(
        `CREATE TABLE ${tableOf(name, rowClass)} AS ${name} ENGINE = MergeTree ORDER BY (${orderBy.join(', ')})`,
      );
}

async function fillFrom(options: ExpectedRowsOptions, writer: RowWriter, target: TableTopic, at: TopicPartition) {
  const { log } = options;
  const last = await log.last(at);
  if (!last) return;
  const classOf = await classifierFor(options, target, at);
  const range = { from: (await log.bounds(at)).first, last: last.offset };
  for await (const records of readUntil(log, at, range)) await writer.take(records, classOf);
}

/** The records of sources are the live ones, with the offsets that the sink committed; others are known by their number. */
async function classifierFor(
  { progress, sink, now }: ExpectedRowsOptions,
  { topic, table }: TableTopic,
  at: TopicPartition,
): Promise<(record: LogRecord) => RowClass> {
  const name = partitionName(at);
  // A day less: the clocks of log and store may differ.
  const storedSince = table.keptDays === undefined ? null : now - (table.keptDays - 1) * DAY_MS;
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

/** Gathers rows of each class and writes them in large batches; what the store refuses, the live sink refused too. */
class RowWriter {
  private readonly options: SinkContext;
  private readonly persistence: Persistence;
  private readonly batches = new Map<RowClass, Batch>();

  constructor(options: SinkContext) {
    this.options = options;
    const closing = new AbortController().signal;
    this.persistence = new Persistence({ logger: options.logger, closing, attemptsMax: ATTEMPTS_MAX });
  }

  async take(records: readonly LogRecord[], classOf: (record: LogRecord) => RowClass): Promise<void> {
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
      await takeRecords(own, batch, this.options.codec, this.persistence);
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
