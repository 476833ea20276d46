/**
 * Drops every projection. A kill between two steps would leave inconsistent topics, so a mark stays in the journal from
 * before the first step until after the last. A process that finds the mark starts over. Dead letters of records that
 * never entered the log cannot be derived again; the journal stores them meanwhile.
 */
import { projectionsOf } from '#processors/stages';
import { truncateTable } from '#schemas/tables/cluster-statements';
import { TABLES } from '#schemas/tables/index';
import { channelTopics } from '#schemas/topics/channels';
import { deadLetterTopic, epochTopic, type StateChunk, stateTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import { NO_OFFSET } from '../../../log/dead-letter.ts';
import { beginEpoch } from '../../../log/epochs.ts';
import type { AppendRecord, EventLog, LogRecord } from '../../../log/log.ts';
import { readPartition } from '../../../log/read-partition.ts';
import type { Stage } from '../../../stages/stage.ts';
import type { Ports } from '../ports.ts';
import { isSourceTable } from './overlay-log.ts';

/** `state.replay`; empty except while projections are dropped. */
export const replayJournal = stateTopic('replay');
const AT = { topic: replayJournal.name, partition: 0 };
const MARK = 'dropping';
/** Prefix of a stored dead letter's key, followed by its topic and key. */
const DEAD_LETTER = 'dead-letter ';
const DEAD = 'dead.';

type DropPorts = Pick<Ports, 'log' | 'store' | 'codec'>;
type StashedRecord = Pick<LogRecord, 'topic' | 'key' | 'value' | 'receivedAt'>;

/** True if a replay was interrupted while it dropped projections. No stage may start before that is finished. */
export async function isDropUnfinished(log: EventLog): Promise<boolean> {
  await log.createTopics([replayJournal]);
  return (await readJournal(log)).has(MARK);
}

/**
 * Clears every topic that the stages write, their snapshots and dead letters, and the tables; channels start a new
 * epoch. Dead letters of records that never entered the log are retained. After an interruption, call it again to
 * finish.
 */
export async function dropProjections({ log, store, codec }: DropPorts, stages: readonly Stage<unknown>[]) {
  const topics = projectionsOf(stages);
  await log.createTopics([...topics, replayJournal, epochTopic]);
  const deadTopics = topics.filter(isDead).map(({ name }) => deadLetterTopic(name.slice(DEAD.length)) as Topic);
  await codec.prepare([replayJournal as Topic, epochTopic as Topic, ...deadTopics]);
  await log.append([journalRecord(codec, MARK, null)]);
  for (const { name } of topics.filter(isDead)) await stashDeadLetters(log, codec, name);
  for (const { name } of topics) await log.clearTopic(name);
  await restoreDeadLetters(log, codec);
  for (const topic of Object.values(channelTopics)) await beginEpoch(log, codec, topic.name);
  for (const { name } of TABLES.filter((table) => !isSourceTable(table)))
    await store.command(truncateTable(name, store.cluster));
  await log.clearTopic(replayJournal.name);
}

function isDead({ name }: { readonly name: string }): boolean {
  return name.startsWith(DEAD);
}

/** Copies dead letters to the journal. Repeating it appends them again under the same keys. */
async function stashDeadLetters(log: EventLog, codec: DropPorts['codec'], topic: string): Promise<void> {
  const records: LogRecord[] = [];
  await readPartition(log, { topic, partition: 0 }, (record) => void records.push(record));
  const schema = deadLetterTopic(topic.slice(DEAD.length));
  for (const record of records) {
    if (!record.value) continue;
    await codec.fetchSchema(record.value);
    if (codec.decode(schema, record.value).offset !== NO_OFFSET) continue;
    await log.append([journalRecord(codec, `${DEAD_LETTER}${topic} ${record.key}`, record)]);
  }
}

async function restoreDeadLetters(log: EventLog, codec: DropPorts['codec']): Promise<void> {
  const records: StashedRecord[] = [];
  for (const [journalKey, { value }] of await readJournal(log)) {
    if (!journalKey.startsWith(DEAD_LETTER) || !value) continue;
    await codec.fetchSchema(value);
    const { payload, receivedAt } = codec.decode(replayJournal, value);
    const [topic = '', ...key] = journalKey.slice(DEAD_LETTER.length).split(' ');
    records.push({ topic, key: key.join(' '), value: payload, receivedAt });
  }
  records.sort((a, b) => a.receivedAt - b.receivedAt);
  for (const record of records) await log.append([{ ...record, partition: 0, seq: 0 }]);
}

/** Reads the newest journal record of each key. */
async function readJournal(log: EventLog): Promise<Map<string, LogRecord>> {
  const newest = new Map<string, LogRecord>();
  await readPartition(log, AT, (record) => {
    if (record.value) newest.set(record.key, record);
  });
  return newest;
}

function journalRecord(codec: DropPorts['codec'], key: string, stashed: StashedRecord | null): AppendRecord {
  const receivedAt = stashed?.receivedAt ?? 0;
  const chunk: StateChunk = {
    receivedAt,
    generation: 1,
    chunk: 0,
    chunks: 1,
    payload: stashed?.value ?? Buffer.alloc(0),
  };
  // Without a number and an event time: no stage reads this topic.
  return { ...AT, key, value: codec.encode(replayJournal, chunk), receivedAt: 0, seq: 0 };
}
