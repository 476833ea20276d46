/** Compares what is live with what a rebuild gave: every derived topic record by record, every table row by row. */
import { TABLES } from '#schemas/tables/index';
import { TOPICS } from '#schemas/topics/catalog';
import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../../codec/codec.ts';
import type { EventLog, LogRecord, TopicPartition } from '../../log/log.ts';
import { partitionName } from '../../log/partition-name.ts';
import { readPartition } from '../../log/read-partition.ts';
import type { Store } from '../../store/store.ts';
import { isSource, isSourceTable } from './overlay-log.ts';

export interface Difference {
  /** Table or topic. */
  readonly table: string;
  readonly key: string;
  /** What the rebuild gave; null when it has no such row. */
  readonly expected: string | null;
  /** What is live; null when it has no such row. */
  readonly actual: string | null;
}

/** What a rebuild that did not begin at the beginning derived: records and rows from there on. */
export interface ComparedFrom {
  /** Receive time from which everything was derived again, unix ms. */
  readonly at: number;
  /** Newest number before that, by `topic/partition`. */
  readonly seqs: ReadonlyMap<string, number>;
}

const DAY_MS = 86_400_000;

/** More than this many differences of one topic or table are not listed one by one. */
const LISTED_MAX = 100;

/** @param from null compares all. */
export async function compareTopics(
  live: EventLog,
  rebuilt: EventLog,
  codec: Codec,
  from: ComparedFrom | null = null,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const topic of TOPICS) {
    if (isSource(topic.name) || topic.name.startsWith('control.')) continue;
    for (let partition = 0; partition < topic.partitions; partition += 1) {
      const beforeSeq = from?.seqs.get(partitionName({ topic: topic.name, partition })) ?? 0;
      differences.push(...(await comparePartition(live, rebuilt, codec, topic, partition, beforeSeq)));
    }
  }
  return differences;
}

async function comparePartition(
  live: EventLog,
  rebuilt: EventLog,
  codec: Codec,
  topic: Topic,
  partition: number,
  beforeSeq: number,
) {
  const at = { topic: topic.name, partition };
  const compacted = topic.retention.kind === 'compacted';
  // Compaction and retention run at different times in the two logs, so only what both still hold is compared:
  // the newest record of each key, or the records from the first kept number on.
  const nameOf = (record: LogRecord) => (compacted ? record.key : String(record.seq));
  const actual = await byName(live, at, beforeSeq, nameOf);
  const expected = await byName(rebuilt, at, beforeSeq, nameOf);
  const firstKept = compacted ? 0 : Math.max(firstSeq(actual), firstSeq(expected));
  const differences: Difference[] = [];
  for (const name of new Set([...expected.keys(), ...actual.keys()])) {
    if (!compacted && Number(name) < firstKept) continue;
    const [wanted, found] = [expected.get(name), actual.get(name)];
    const [wantedText, foundText] = [show(codec, topic, wanted), show(codec, topic, found)];
    if (wantedText === foundText) continue;
    differences.push({ table: topic.name, key: `${partition}/${name}`, expected: wantedText, actual: foundText });
    if (differences.length >= LISTED_MAX) break;
  }
  return differences;
}

/** Zero for an empty partition: everything of the other side is then a difference. */
function firstSeq(records: ReadonlyMap<string, LogRecord>): number {
  return records.values().next().value?.seq ?? 0;
}

function show(codec: Codec, topic: Topic, record: LogRecord | undefined): string | null {
  // A tombstone and an absent key of a compacted topic are the same.
  if (!record?.value) return null;
  return JSON.stringify({ key: record.key, receivedAt: record.receivedAt, value: codec.decode(topic, record.value) });
}

async function byName(log: EventLog, at: TopicPartition, beforeSeq: number, nameOf: (record: LogRecord) => string) {
  const records = new Map<string, LogRecord>();
  await readPartition(log, at, (record) => {
    if (record.seq > beforeSeq) records.set(nameOf(record), record);
  });
  return records;
}

/**
 * Rows that the live table may have let go of since (`keptDays`) are not missed there. A day less than that: an event's
 * time may run ahead of the clock by which the store counts.
 *
 * @param from null compares all; otherwise live rows that were received before are left out.
 */
export async function compareTables(
  live: Store,
  rebuilt: Store,
  from: ComparedFrom | null = null,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const { name, keptDays } of TABLES.filter((table) => !isSourceTable(table))) {
    const rows = (database: string) => `SELECT * FROM ${database}.${name} FINAL`;
    const receivedSince = (at: number | null) =>
      at === null ? '' : ` WHERE receivedAt >= fromUnixTimestamp64Milli(toInt64(${at}))`;
    const keptSince = keptDays === undefined ? null : Date.now() - (keptDays - 1) * DAY_MS;
    for (const [side, other, where] of [
      [rebuilt, live, receivedSince(keptSince)],
      [live, rebuilt, receivedSince(from?.at ?? null)],
    ] as const) {
      const found = await live.query<Record<string, unknown>>(
        `SELECT * FROM (${rows(side.database)}${where} EXCEPT ${rows(other.database)}) LIMIT ${LISTED_MAX}`,
      );
      for (const row of found) {
        const text = JSON.stringify(row);
        const key = String(Object.values(row)[0]);
        differences.push(
          side === rebuilt
            ? { table: name, key, expected: text, actual: null }
            : { table: name, key, expected: null, actual: text },
        );
      }
    }
  }
  return differences;
}
