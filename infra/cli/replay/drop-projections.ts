/**
 * Dropping every projection. It takes many steps, and a kill between two of them leaves topics that do not fit together;
 * so a mark in the journal stands from before the first until after the last, and whoever finds it begins over. What
 * cannot be derived again, letters about what never came into the log, waits in the journal meanwhile.
 */
import { projectionsOf } from '#processors/stages';
import { TABLES } from '#schemas/tables/index';
import { channelTopics } from '#schemas/topics/channels';
import { deadTopic, epochTopic, type StateChunk, stateTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import { NO_OFFSET } from '../../log/dead-letter.ts';
import { beginEpoch } from '../../log/epochs.ts';
import type { AppendRecord, EventLog, LogRecord } from '../../log/log.ts';
import { readPartition } from '../../log/read-partition.ts';
import type { Stage } from '../../stages/stage.ts';
import type { Ports } from '../ports.ts';
import { isSourceTable } from './overlay-log.ts';

/** `state.replay`; empty except while projections are dropped. */
export const replayJournal = stateTopic('replay');
const AT = { topic: replayJournal.name, partition: 0 };
const MARK = 'dropping';
/** Followed by the letter's own topic and key. */
const LETTER = 'letter ';
const DEAD = 'dead.';

type DropPorts = Pick<Ports, 'log' | 'store' | 'codec'>;
type Letter = Pick<LogRecord, 'topic' | 'key' | 'value' | 'receivedAt'>;

/** Whether a replay was interrupted while it dropped projections: no stage may start before it is finished. */
export async function isDropUnfinished(log: EventLog): Promise<boolean> {
  await log.createTopics([replayJournal]);
  return (await newestOfJournal(log)).has(MARK);
}

/**
 * Empties every topic that the stages write, their snapshots and dead letters, and the tables; channels begin a new
 * epoch. Letters about what never came into the log are kept. Where it was interrupted, calling it again finishes it.
 */
export async function dropProjections({ log, store, codec }: DropPorts, stages: readonly Stage<unknown>[]) {
  const topics = projectionsOf(stages);
  await log.createTopics([...topics, replayJournal, epochTopic]);
  const letterTopics = topics.filter(isDead).map(({ name }) => deadTopic(name.slice(DEAD.length)) as Topic);
  await codec.prepare([replayJournal as Topic, epochTopic as Topic, ...letterTopics]);
  await log.append([journalRecord(codec, MARK, null)]);
  for (const { name } of topics.filter(isDead)) await stashLetters(log, codec, name);
  for (const { name } of topics) await log.clearTopic(name);
  await restoreLetters(log, codec);
  for (const topic of Object.values(channelTopics)) await beginEpoch(log, codec, topic.name);
  for (const { name } of TABLES.filter((table) => !isSourceTable(table))) await store.command(`TRUNCATE TABLE ${name}`);
  await log.clearTopic(replayJournal.name);
}

function isDead({ name }: { readonly name: string }): boolean {
  return name.startsWith(DEAD);
}

/** A letter that is in the journal already is put there once more, under the same key. */
async function stashLetters(log: EventLog, codec: DropPorts['codec'], topic: string): Promise<void> {
  const letters: LogRecord[] = [];
  await readPartition(log, { topic, partition: 0 }, (record) => void letters.push(record));
  const schema = deadTopic(topic.slice(DEAD.length));
  for (const letter of letters) {
    if (!letter.value) continue;
    await codec.learn(letter.value);
    if (codec.decode(schema, letter.value).offset !== NO_OFFSET) continue;
    await log.append([journalRecord(codec, `${LETTER}${topic} ${letter.key}`, letter)]);
  }
}

async function restoreLetters(log: EventLog, codec: DropPorts['codec']): Promise<void> {
  const letters: Letter[] = [];
  for (const [journalKey, { value }] of await newestOfJournal(log)) {
    if (!journalKey.startsWith(LETTER) || !value) continue;
    await codec.learn(value);
    const { payload, receivedAt } = codec.decode(replayJournal, value);
    const [topic = '', ...key] = journalKey.slice(LETTER.length).split(' ');
    letters.push({ topic, key: key.join(' '), value: payload, receivedAt });
  }
  letters.sort((a, b) => a.receivedAt - b.receivedAt);
  for (const letter of letters) await log.append([{ ...letter, partition: 0, seq: 0 }]);
}

/** What stands in the journal, by key. */
async function newestOfJournal(log: EventLog): Promise<Map<string, LogRecord>> {
  const newest = new Map<string, LogRecord>();
  await readPartition(log, AT, (record) => {
    if (record.value) newest.set(record.key, record);
  });
  return newest;
}

function journalRecord(codec: DropPorts['codec'], key: string, letter: Letter | null): AppendRecord {
  const receivedAt = letter?.receivedAt ?? 0;
  const chunk: StateChunk = {
    receivedAt,
    generation: 1,
    chunk: 0,
    chunks: 1,
    payload: letter?.value ?? Buffer.alloc(0),
  };
  // Unnumbered, and without a time of its own: nobody reads it in the order of time.
  return { ...AT, key, value: codec.encode(replayJournal, chunk), receivedAt: 0, seq: 0 };
}
