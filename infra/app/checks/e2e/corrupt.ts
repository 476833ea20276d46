/** Damages a stopped service's data directory, and returns what a verification must report. */
import { join } from 'node:path';
import { TABLES } from '#schemas/tables/index';
import type { TableSpec } from '#schemas/tables/table';
import { TOPICS } from '#schemas/topics/catalog';
import type { Topic } from '#schemas/topics/topic';
import { openEnvironment } from '../../../log/embedded/environment.ts';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import { blockOf } from '../../../log/embedded/removal.ts';
import type { EventLog, LogRecord } from '../../../log/log.ts';
import { partitionName } from '../../../log/partition-name.ts';
import { readPartition } from '../../../log/read-partition.ts';
import { openStore } from '../../../store/open-store.ts';
import type { Store } from '../../../store/store.ts';
import { isSourceTable } from '../../cli/replay/overlay-log.ts';

/** `<added, altered or removed> <table or topic> <key>`. */
export type Damage = string;

/** Assignments that change any value of a column, by the type of the column. A null plus one would still be null. */
const ALTERATIONS: readonly (readonly [type: RegExp, value: (column: string) => string])[] = [
  [/^(LowCardinality\(|Nullable\()*String\)*$/, () => "'altered'"],
  [/^DateTime64\(/, (column) => `${column} + INTERVAL 1 SECOND`],
  [/^(U?Int|Decimal\()/, (column) => `${column} + 1`],
];

/** The assignment that alters a row of a table: of its first column that can be altered and does not identify the row. */
export function alterationOf({ name, columns, orderBy, monthOf }: TableSpec): string {
  const fixed = new Set([...orderBy, monthOf, 'version', 'removed']);
  for (const column of columns.filter((each) => !fixed.has(each.name))) {
    const value = ALTERATIONS.find(([type]) => type.test(column.type))?.[1];
    if (value) return `${column.name} = ${value(column.name)}`;
  }
  throw new Error(`no column of ${name} can be altered: add the type of one to ALTERATIONS`);
}

/** The text column that distinguishes an added row: the last one of the sorting key. */
export function addedColumnOf({ name, columns, orderBy }: TableSpec): string {
  const isText = (key: string) =>
    columns.some((column) => column.name === key && /^(String|LowCardinality\(String\))$/.test(column.type));
  const found = orderBy.filter(isText).at(-1);
  if (found === undefined) throw new Error(`the sorting key of ${name} has no text column, which an added row needs`);
  return found;
}

/** Removes, alters and adds one row in every table that has rows. */
export async function corruptTables(dataDir: string): Promise<Damage[]> {
  const store = await openStore({ store: 'embedded', dataDir });
  try {
    const damage: Damage[] = [];
    for (const table of TABLES) damage.push(...(await corruptTable(store, table)));
    return damage;
  } finally {
    await store.close();
  }
}

/** Removes, alters and adds a row of one table, if it has rows. */
export async function corruptTable(store: Store, table: TableSpec): Promise<Damage[]> {
  const { name, orderBy } = table;
  const key = `toString(tuple(${orderBy.join(', ')}))`;
  const rows = await store.query<Record<string, unknown> & { rowKey: string }>(
    `SELECT *, ${key} AS rowKey FROM ${name} FINAL ORDER BY cityHash64(rowKey) LIMIT 3`,
  );
  const shown = (row: Record<string, unknown>) => orderBy.map((column) => String(row[column])).join(' ');
  const is = ({ rowKey }: { rowKey: string }) => `${key} = '${rowKey.replace(/[\\']/g, '\\$&')}'`;
  const damage: Damage[] = [];
  const [first, second] = rows;
  // A verification ignores rows of a source table without a record, so none is added there.
  if (first && !isSourceTable(table)) {
    const own = addedColumnOf(table);
    // The condition is in a subquery, since REPLACE would change the meaning of its column names.
    await store.command(
      `INSERT INTO ${name} SELECT * REPLACE ('added' AS ${own}) FROM (SELECT * FROM ${name} FINAL WHERE ${is(first)})`,
    );
    damage.push(`added ${name} ${shown({ ...first, [own]: 'added' })}`);
  }
  if (first) {
    await store.command(
      `ALTER TABLE ${name} UPDATE ${alterationOf(table)} WHERE ${is(first)} SETTINGS mutations_sync = 2`,
    );
    damage.push(`altered ${name} ${shown(first)}`);
  }
  if (second) {
    await store.command(`ALTER TABLE ${name} DELETE WHERE ${is(second)} SETTINGS mutations_sync = 2`);
    damage.push(`removed ${name} ${shown(second)}`);
  }
  return damage;
}

/**
 * Alters and adds one record of every derived topic that has records. Removes records at the start, in the middle and
 * at the end of its fullest partition, or the newest record of a key of a compacted topic. Does less where there are
 * too few.
 */
export async function corruptTopics(dataDir: string): Promise<Damage[]> {
  const path = join(dataDir, 'log');
  const log = await openEmbeddedLog({ path });
  const plans: Plan[] = [];
  try {
    for (const topic of TOPICS.filter(({ name }) => name.startsWith('derived.'))) {
      const plan = await planFor(log, topic);
      if (plan) plans.push(plan);
    }
  } finally {
    await log.close();
  }
  const environment = openEnvironment(path, false);
  for (const { at, records, removed, altered, added } of plans) {
    const tree = environment.partition(partitionName(at))!;
    const damaged = records
      .filter((record) => !removed.includes(record))
      .map((record) => (record === altered ? { ...record, receivedAt: record.receivedAt - 1 } : record));
    environment.transact(() => {
      // A cleanly closed log has everything in its trees, so the partition is rewritten as one block.
      tree.clear();
      tree.put((damaged[0] ?? added).offset, blockOf([...damaged, added], true));
    });
  }
  await environment.root.close();
  return plans.flatMap(({ topic, removed, altered, added }) => {
    const shown = ({ partition, key, seq }: LogRecord) =>
      `${topic.name} ${partition}/${topic.retention.kind === 'compacted' ? key : seq}`;
    return [
      ...removed.map((record) => `removed ${shown(record)}`),
      ...(altered ? [`altered ${shown(altered)}`] : []),
      `added ${shown(added)}`,
    ];
  });
}

interface Plan {
  readonly topic: Topic;
  readonly at: LogRecord;
  /** Every record of the partition. */
  readonly records: readonly LogRecord[];
  readonly removed: readonly LogRecord[];
  readonly altered: LogRecord | null;
  readonly added: LogRecord;
}

/** Null for an empty topic. */
async function planFor(log: EventLog, topic: Topic): Promise<Plan | null> {
  let fullest: LogRecord[] = [];
  for (let partition = 0; partition < topic.partitions; partition += 1) {
    const records: LogRecord[] = [];
    await readPartition(log, { topic: topic.name, partition }, (record) => void records.push(record));
    if (records.length > fullest.length) fullest = records;
  }
  const last = fullest.at(-1);
  if (!last) return null;
  const isCompacted = topic.retention.kind === 'compacted';
  const newest = [...new Map(fullest.map((record) => [record.key, record])).values()].filter(({ value }) => value);
  const places = isCompacted ? newest : fullest;
  const altered = places.at(isCompacted ? 0 : 1) ?? null;
  const removed = isCompacted
    ? places.slice(1, 2)
    : [places[0]!, ...places.slice(3, 4), last].filter(
        (record, at, all) => record !== altered && all.indexOf(record) === at,
      );
  const added = { ...last, key: isCompacted ? 'added' : last.key, seq: last.seq + 1, offset: last.offset + 1 };
  return { topic, at: last, records: fullest, removed, altered, added };
}
