/** Records the settings that change figures in the log, so that a replay derives each figure with the same settings. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog, LogRecord } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import { canonicalDecimal } from '#schemas/domain/decimal';
import { RECORDED_SETTING_ENTRIES, type RecordedSettings } from '#schemas/domain/recorded-settings';
import { type SettingsChange, settingsTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';

const AT = { topic: settingsTopic.name, partition: 0 };
const KEY = 'processors';
const NAMES = RECORDED_SETTING_ENTRIES.map(([name]) => name);

/**
 * Returns the recorded settings of the processors, oldest first; the last ones are in force. Where none are recorded
 * yet, returns `configured`. Creates the topic where it is missing, and writes nothing else.
 */
export async function readSettings(
  log: EventLog,
  codec: Codec,
  configured: RecordedSettings,
): Promise<SettingsChange[]> {
  const recorded = await readRecorded(log, codec);
  return recorded.length > 0 ? recorded : [toRecord(configured, 0)];
}

/**
 * Appends the configured settings to the log if they differ from those in force, and returns all, as `readSettings`
 * does. A change holds for events that are newer than every record in the inputs, and so newer than everything
 * processed before. Call it before the stages start.
 *
 * @param inputs every topic that a stage reads; missing topics are created.
 */
export async function recordSettings(
  log: EventLog,
  codec: Codec,
  configured: RecordedSettings,
  inputs: readonly Topic[],
): Promise<SettingsChange[]> {
  const recorded = await readRecorded(log, codec);
  const newest = recorded.at(-1);
  const current = toRecord(configured, 0);
  if (newest && NAMES.every((name) => newest[name] === current[name])) return recorded;
  const from = newest ? Math.max(newest.receivedAt, (await newestIn(log, inputs)) + 1) : 0;
  const record = { ...current, receivedAt: from };
  await log.append([{ ...AT, key: KEY, value: codec.encode(settingsTopic, record), receivedAt: from, seq: 0 }]);
  return [...recorded, record];
}

async function readRecorded(log: EventLog, codec: Codec): Promise<SettingsChange[]> {
  await log.createTopics([settingsTopic]);
  await codec.prepare([settingsTopic]);
  const records: LogRecord[] = [];
  await readPartition(log, AT, (record) => void records.push(record));
  const recorded: SettingsChange[] = [];
  for (const { value } of records) {
    if (!value) continue;
    await codec.fetchSchema(value);
    recorded.push(codec.decode(settingsTopic, value));
  }
  return recorded;
}

/** Returns the event time of the newest record of the topics; -1 when all are empty. */
async function newestIn(log: EventLog, topics: readonly Topic[]): Promise<number> {
  await log.createTopics(topics);
  const partitions = topics.flatMap(({ name, partitions: count }) =>
    Array.from({ length: count }, (_, partition) => ({ topic: name, partition })),
  );
  const last = await Promise.all(partitions.map((at) => log.last(at)));
  return last.reduce((newest, record) => Math.max(newest, record?.receivedAt ?? -1), -1);
}

function toRecord(settings: RecordedSettings, receivedAt: number): SettingsChange {
  const values = NAMES.map((name) => {
    const value = settings[name];
    return [name, typeof value === 'string' ? canonicalDecimal(value) : value];
  });
  return { receivedAt, ...(Object.fromEntries(values) as RecordedSettings) };
}
