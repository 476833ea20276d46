/** The settings that change figures, as the log keeps them: what was worked out with which can be told from it alone. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog, LogRecord } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import { canonicalDecimal } from '#schemas/domain/decimal';
import { type SettingsChange, settingsTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import type { ProcessorSettings } from '../stages.ts';

const AT = { topic: settingsTopic.name, partition: 0 };
const KEY = 'processors';

/**
 * What the processors of this log were set to, oldest first, the newest of them in force; where none ran yet, what is
 * given. Writes nothing but the topic itself where it is missing.
 */
export async function readSettings(log: EventLog, codec: Codec, given: ProcessorSettings): Promise<SettingsChange[]> {
  const recorded = await readRecorded(log, codec);
  return recorded.length > 0 ? recorded : [toRecord(given, 0)];
}

/**
 * Puts what is given into the log where it differs from what was in force, and gives all there is, as `readSettings`.
 * A change holds for everything that is newer than all that the inputs hold now, hence than all that was processed
 * before. To be called before the stages are started.
 *
 * @param inputs every topic that a stage reads; those that do not exist yet are made.
 */
export async function recordSettings(
  log: EventLog,
  codec: Codec,
  given: ProcessorSettings,
  inputs: readonly Topic[],
): Promise<SettingsChange[]> {
  const recorded = await readRecorded(log, codec);
  const newest = recorded.at(-1);
  if (newest && isSame(newest, toRecord(given, newest.receivedAt))) return recorded;
  const from = newest ? Math.max(newest.receivedAt, (await newestIn(log, inputs)) + 1) : 0;
  const record = toRecord(given, from);
  await log.append([{ ...AT, key: KEY, value: codec.encode(settingsTopic, record), receivedAt: from, seq: 0 }]);
  return [...recorded, record];
}

async function readRecorded(log: EventLog, codec: Codec): Promise<SettingsChange[]> {
  await log.createTopics([settingsTopic]);
  await codec.prepare([settingsTopic]);
  const kept: LogRecord[] = [];
  await readPartition(log, AT, (record) => void kept.push(record));
  const recorded: SettingsChange[] = [];
  for (const { value } of kept) {
    if (!value) continue;
    await codec.learn(value);
    recorded.push(codec.decode(settingsTopic, value));
  }
  return recorded;
}

/** Event time of the newest record of the topics; -1 when all are empty. */
async function newestIn(log: EventLog, topics: readonly Topic[]): Promise<number> {
  await log.createTopics(topics);
  const partitions = topics.flatMap(({ name, partitions: count }) =>
    Array.from({ length: count }, (_, partition) => ({ topic: name, partition })),
  );
  const last = await Promise.all(partitions.map((at) => log.last(at)));
  return last.reduce((newest, record) => Math.max(newest, record?.receivedAt ?? -1), -1);
}

function toRecord(given: ProcessorSettings, receivedAt: number): SettingsChange {
  return {
    receivedAt,
    arbitrageSize: canonicalDecimal(given.arbitrageSize),
    venueAOutcomeTakerFee: canonicalDecimal(given.venueAOutcomeTakerFee),
    venueBConfirmations: given.venueBConfirmations,
    anomalyZ: canonicalDecimal(given.anomalyZ),
  };
}

function isSame(a: SettingsChange, b: SettingsChange): boolean {
  return (
    a.arbitrageSize === b.arbitrageSize &&
    a.venueAOutcomeTakerFee === b.venueAOutcomeTakerFee &&
    a.venueBConfirmations === b.venueBConfirmations &&
    a.anomalyZ === b.anomalyZ
  );
}
