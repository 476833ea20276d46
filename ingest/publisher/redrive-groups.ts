/** Groups dead letters by their record, and counts the copies that earlier redrives appended. */
import { createHash } from 'node:crypto';
import type { EventLog, LogRecord } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { bytesOf } from '#infra/log/record-size';
import type { DeadLetter } from '#schemas/topics/control';

/** Records of one redrive batch. */
const BATCH_RECORDS_MAX = 256;
const BATCH_BYTES_MAX = 4 * 1024 * 1024;

export interface StoredDeadLetter {
  readonly key: string;
  readonly deadLetter: DeadLetter;
}

/** Records of one partition with equal bytes and equal event time. They cannot be distinguished, only counted. */
export interface DeadLetterGroup {
  /** One dead letter for each record, however many stages refused it. */
  readonly records: DeadLetter[];
  readonly deadLetters: StoredDeadLetter[];
}

type Content = Pick<LogRecord, 'partition' | 'key' | 'value'>;

/** Groups dead letters, in their order. */
export function groupsOf(deadLetters: readonly StoredDeadLetter[]): DeadLetterGroup[] {
  const groups = new Map<string, DeadLetterGroup>();
  const known = new Set<string>();
  for (const stored of deadLetters) {
    const { deadLetter } = stored;
    const name = `${contentOf(deadLetter)} ${deadLetter.receivedAt}`;
    const group = groups.get(name) ?? { records: [], deadLetters: [] };
    groups.set(name, group);
    group.deadLetters.push(stored);
    // Several stages can refuse one record; it is appended once.
    const id = `${deadLetter.partition}/${deadLetter.offset}`;
    if (known.has(id)) continue;
    known.add(id);
    group.records.push(deadLetter);
  }
  return [...groups.values()];
}

/** Splits groups into batches. A group is never split. */
export function* batchesOf(groups: readonly DeadLetterGroup[]): Generator<readonly DeadLetterGroup[]> {
  let batch: DeadLetterGroup[] = [];
  let records = 0;
  let bytes = 0;
  for (const group of groups) {
    const size = group.records.reduce((sum, record) => sum + bytesOf(record), 0);
    if (batch.length > 0 && (records + group.records.length > BATCH_RECORDS_MAX || bytes + size > BATCH_BYTES_MAX)) {
      yield batch;
      batch = [];
      records = 0;
      bytes = 0;
    }
    batch.push(group);
    records += group.records.length;
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Counts the copies of each group's records in the topic. A copy follows its record, has a later event time, and has the
 * same bytes, which include the original `receivedAt`. An input that a venue sends twice has other bytes.
 */
export async function copiesOf(
  log: Pick<EventLog, 'reader' | 'last'>,
  topic: string,
  groups: readonly DeadLetterGroup[],
): Promise<Map<DeadLetterGroup, number>> {
  const copies = new Map<DeadLetterGroup, number>();
  const byContent = new Map<string, DeadLetterGroup[]>();
  /** Offset after which copies are searched, by partition. */
  const oldest = new Map<number, number>();
  for (const group of groups) {
    for (const { partition, offset } of group.records)
      oldest.set(partition, Math.min(offset, oldest.get(partition) ?? offset));
    const content = contentOf(group.records[0]!);
    byContent.set(content, [...(byContent.get(content) ?? []), group]);
  }
  for (const [partition, offset] of oldest) {
    const at = { topic, partition };
    const last = await log.last(at);
    if (!last) continue;
    for await (const records of readUntil(log, at, { from: offset + 1, last: last.offset }))
      for (const record of records)
        for (const group of byContent.get(contentOf(record)) ?? [])
          if (isCopyOf(record, group)) copies.set(group, (copies.get(group) ?? 0) + 1);
  }
  return copies;
}

function isCopyOf({ offset, receivedAt }: LogRecord, { records }: DeadLetterGroup): boolean {
  return records.every((record) => offset > record.offset && receivedAt > record.receivedAt);
}

function contentOf({ partition, key, value }: Content): string {
  return `${partition} ${key} ${value ? createHash('sha256').update(value).digest('base64') : 'none'}`;
}
