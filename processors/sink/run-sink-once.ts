import { LogError, type TopicPartition } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';
import type { Health } from '#infra/telemetry/health';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import { addRecords } from './add-records.ts';
import { Batch } from './batch.ts';
import { BatchWriter } from './batch-writer.ts';
import { Persistence } from './persistence.ts';
import { BATCH_BYTES_MAX, prepareTopics, SINK_TOPIC_NAMES, type SinkContext } from './sink-context.ts';
import { TABLE_TOPICS } from './table-topics.ts';

/** A tool must not wait forever: this many attempts take about half a minute. */
const ATTEMPTS_MAX = 10;
/** Larger than in the live sink, since nothing else runs during a rebuild. */
const REBUILD_BATCH_ROWS = 5_000;
const POLL_TIMEOUT_MS = 1_000;
/** After this long without a record, the records that existed at the start must have been removed. */
const SILENCE_MAX_MS = 30_000;
const JOIN_TIMEOUT_MS = 30_000;

export interface SinkOnceOptions extends SinkContext {
  readonly health?: Health;
  readonly batchRows?: number;
  /** Called after each batch with the number of records processed so far. */
  readonly onProgress?: (records: number) => void;
}

interface Unread extends TopicPartition {
  /** Offset of the first record of the partition. */
  readonly offset: number;
  /** Offset of the last record at the start. */
  readonly last: number;
}

/**
 * Inserts all current records of the topics, from the first one on, then stops; the group continues from there at the
 * next start. Used by rebuilds; no other sink may run meanwhile.
 * @returns the number of processed records.
 */
export async function runSinkOnce(options: SinkOnceOptions): Promise<number> {
  await prepareTopics(options);
  const closing = new AbortController();
  const { logger, health } = options;
  const persistence = new Persistence({
    logger,
    ...(health ? { health } : {}),
    closing: closing.signal,
    attemptsMax: ATTEMPTS_MAX,
  });
  const partitions = [...TABLE_TOPICS.values()].flatMap(({ topic }) =>
    Array.from({ length: topic.partitions }, (_, partition) => ({ topic: topic.name, partition })),
  );
  const inserted = await insertAll(options, await unreadOf(options, partitions), persistence);
  await commitEnds(options, partitions);
  return inserted;
}

async function unreadOf({ log }: SinkOnceOptions, partitions: readonly TopicPartition[]): Promise<Unread[]> {
  const unread: Unread[] = [];
  for (const at of partitions) {
    const last = await log.last(at);
    if (last) unread.push({ ...at, offset: (await log.bounds(at)).first, last: last.offset });
  }
  return unread;
}

/**
 * Reads all partitions with one reader, unlike `readUntil`, so that a batch holds rows of every table and each insert is
 * large. Its limit of silence therefore counts for all partitions together.
 */
async function insertAll(
  options: SinkOnceOptions,
  unread: readonly Unread[],
  persistence: Persistence,
): Promise<number> {
  if (unread.length === 0) return 0;
  const { log, codec, batchRows = REBUILD_BATCH_ROWS } = options;
  const writer = new BatchWriter({ ...options, persistence });
  const lasts = new Map(unread.map((each) => [partitionName(each), each.last]));
  const reader = await log.reader(unread.map(({ topic, partition, offset }) => ({ topic, partition, offset })));
  let inserted = 0;
  let lastRecordAt = Date.now();
  try {
    let batch = new Batch();
    while (lasts.size > 0) {
      const { records } = await reader.poll(batchRows - batch.records, POLL_TIMEOUT_MS);
      if (records.length > 0) lastRecordAt = Date.now();
      else if (Date.now() - lastRecordAt > SILENCE_MAX_MS)
        throw new Error(`${[...lasts.keys()].join(', ')} ended before the last record`);
      await addRecords(records, batch, codec, persistence);
      for (const record of records) {
        const name = partitionName(record);
        if (record.offset >= (lasts.get(name) ?? Number.POSITIVE_INFINITY)) lasts.delete(name);
      }
      if (batch.records < batchRows && batch.bytes < BATCH_BYTES_MAX && lasts.size > 0) continue;
      await writer.write(batch);
      inserted += batch.records;
      options.onProgress?.(inserted);
      batch = new Batch();
    }
  } finally {
    await reader.close();
  }
  return inserted;
}

/** Commits the ends of all partitions: a rebuilt topic restarts its offsets, so older commits are invalid. */
async function commitEnds({ log }: SinkOnceOptions, partitions: readonly TopicPartition[]): Promise<void> {
  const member = await log.group(SINK_GROUP, SINK_TOPIC_NAMES);
  try {
    for (const deadline = Date.now() + JOIN_TIMEOUT_MS; member.assignment().length < partitions.length; ) {
      if (Date.now() > deadline) throw new LogError('log_unavailable', `the group ${SINK_GROUP} has other members`);
      await member.poll(1, 100);
    }
    const ends = [];
    for (const at of partitions) ends.push({ ...at, offset: (await log.bounds(at)).next });
    await member.commit(ends);
  } finally {
    await member.close();
  }
}
