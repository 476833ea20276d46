/** Which records dead letters are about, in batches, and which of them were put at the end of their topic already. */
import { createHash } from 'node:crypto';
import type { EventLog, LogRecord } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { bytesOf } from '#infra/log/record-size';
import type { DeadLetter } from '#schemas/topics/control';
import type { KeptLetter } from './redrive.ts';

/** Records driven again at a time. */
const BATCH_RECORDS_MAX = 256;
const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/** Records of one partition that are the same to the byte and the millisecond: only how many there are tells them apart. */
export interface LetterGroup {
  /** One letter for each record, however many stages refused it. */
  readonly records: DeadLetter[];
  readonly letters: KeptLetter[];
}

type Content = Pick<LogRecord, 'partition' | 'key' | 'value'>;

/** In the order of the letters. */
export function groupsOf(letters: readonly KeptLetter[]): LetterGroup[] {
  const groups = new Map<string, LetterGroup>();
  const known = new Set<string>();
  for (const kept of letters) {
    const { letter } = kept;
    const name = `${contentOf(letter)} ${letter.receivedAt}`;
    const group = groups.get(name) ?? { records: [], letters: [] };
    groups.set(name, group);
    group.letters.push(kept);
    // One record can have been refused by several stages; it is appended once.
    const place = `${letter.partition}/${letter.offset}`;
    if (known.has(place)) continue;
    known.add(place);
    group.records.push(letter);
  }
  return [...groups.values()];
}

/** A group stays whole. */
export function* batchesOf(groups: readonly LetterGroup[]): Generator<readonly LetterGroup[]> {
  let batch: LetterGroup[] = [];
  let records = 0;
  let bytes = 0;
  for (const group of groups) {
    const size = group.records.reduce((sum, letter) => sum + bytesOf(letter), 0);
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
 * How many copies of each group's records stand in the topic. A copy has the bytes of its record, which name the time at
 * which that was received, stands behind it, and has a later time itself: what a venue says twice has not.
 */
export async function copiesOf(
  log: Pick<EventLog, 'reader' | 'last'>,
  topic: string,
  groups: readonly LetterGroup[],
): Promise<Map<LetterGroup, number>> {
  const copies = new Map<LetterGroup, number>();
  const byContent = new Map<string, LetterGroup[]>();
  /** Oldest offset to look behind, by partition. */
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

function isCopyOf({ offset, receivedAt }: LogRecord, { records }: LetterGroup): boolean {
  return records.every((letter) => offset > letter.offset && receivedAt > letter.receivedAt);
}

function contentOf({ partition, key, value }: Content): string {
  return `${partition} ${key} ${value ? createHash('sha256').update(value).digest('base64') : 'none'}`;
}
