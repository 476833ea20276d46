import {
  type AvroType,
  blob,
  decimal,
  flag,
  type Infer,
  integer,
  nullable,
  record,
  text,
  timestamp,
  withDefault,
} from '../avro.ts';
import { RECORDED_SETTING_ENTRIES, type RecordedSetting, type RecordedSettings } from '../domain/recorded-settings.ts';
import { defineTopic } from './topic.ts';

const clockMark = record('ClockMark', 'The current event time. Processors use no other clock.', {
  receivedAt: timestamp('The current time, a multiple of 5 s.'),
  tick: flag('A 5-second tick; false where only the hour or the day is marked, as in a silent span of a recording.'),
  hour: flag('The first mark of a UTC hour.'),
  day: flag('The first mark of a UTC day.'),
});
export type ClockMark = Infer<typeof clockMark>;

/** The clock of every processor. */
export const clockTopic = defineTopic({
  name: 'control.clock',
  description: 'Time as events: the 5-second tick, the hour, the UTC day.',
  key: 'always `clock`',
  partitions: 1,
  retention: { kind: 'raw' },
  schema: clockMark,
});

const command = record(
  'ControlCommand',
  'A change that an operator or a client requests. The reducer decides commands in log order.',
  {
    id: text('Unique id of the command; the node that appended it waits for its verdict under this id.'),
    receivedAt: timestamp('Event time when it was appended.'),
    wallTime: timestamp('The wall time when it was appended.'),
    type: text('Type of the command, e.g. `key.create` (see schemas/domain/control).'),
    body: text('The arguments as JSON; secrets of keys are hashed, signing secrets of webhooks are in plain text.'),
  },
);
export type ControlCommand = Infer<typeof command>;

/** Commands on organizations, keys, wallets, attributions and webhooks. */
export const commandTopic = defineTopic({
  name: 'control.commands',
  description:
    'Commands on organizations, keys, wallets, attributions and webhooks, in the order in which they are decided.',
  key: 'command id',
  partitions: 1,
  retention: { kind: 'forever' },
  schema: command,
});

const change = record('ControlChange', 'A command, at the event time from which it is effective.', {
  id: text('Id of the command.'),
  receivedAt: timestamp('Event time from which the command is effective.'),
  wallTime: timestamp('As in the command.'),
  type: text('As in the command.'),
  body: text('As in the command.'),
  commandOffset: integer('Offset of the command in `control.commands`.'),
});
export type ControlChange = Infer<typeof change>;

/**
 * Repeats every command in the same order, written by the role that writes the clock. Several nodes write commands and
 * none of them can promise a watermark, without which a processor could not merge commands with records of the venues.
 * Both topics reduce to the same verdicts.
 */
export const changeTopic = defineTopic({
  name: 'control.changes',
  description: 'Commands in the order and at the event time in which processors apply them.',
  key: 'command id',
  partitions: 1,
  retention: { kind: 'forever' },
  schema: change,
});

/** Fields without a default come first. */
const settingFields = Object.fromEntries(
  RECORDED_SETTING_ENTRIES.toSorted(([, a], [, b]) => Number('before' in a) - Number('before' in b)).map(
    ([name, { kind, description, before }]) => {
      const field: AvroType<unknown> = kind === 'integer' ? integer(description) : decimal(description);
      return [name, before === undefined ? field : withDefault(field, before)];
    },
  ),
) as { readonly [Name in RecordedSetting]: AvroType<RecordedSettings[Name]> };
const settingsChange = record('SettingsChange', 'The settings that affect figures, from an event time on.', {
  receivedAt: timestamp('Records received from this time on are processed with these settings; 0 for the first.'),
  ...settingFields,
});
export type SettingsChange = Infer<typeof settingsChange>;

/** The settings of the processors, and when each took effect: a replay uses the same ones. */
export const settingsTopic = defineTopic({
  name: 'control.settings',
  description: 'The settings that affect figures, each time they changed, with the event time from which they apply.',
  key: 'always `processors`',
  partitions: 1,
  retention: { kind: 'forever' },
  schema: settingsChange,
});

const epoch = record('TopicEpoch', 'When a topic was started, or started again by a rebuild.', {
  receivedAt: timestamp('Wall time of the start.'),
  topic: text('The topic.'),
  epoch: text('Opaque; another value means that seq numbers start over.'),
});

/** The epoch under which a channel topic numbers its frames. */
export const epochTopic = defineTopic({
  name: 'control.epochs',
  description: 'The current epoch of every channel topic.',
  key: 'topic',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: epoch,
});

const snapshotChunk = record(
  'StateChunk',
  "A piece of a stage's state, or the manifest that makes a set of pieces valid.",
  {
    receivedAt: timestamp('The position of the stage.'),
    generation: integer('Two generations alternate, so that a half-written one never hides the last complete one.'),
    chunk: integer('Index of this piece; -1 is the manifest, written last.'),
    chunks: integer('How many pieces the generation has.'),
    payload: blob('A piece of the compressed state; in the manifest the offsets as JSON.'),
  },
);
export type StateChunk = Infer<typeof snapshotChunk>;

/** `state.<stage>`: the newest snapshot of a stage with its input offsets. */
export function stateTopic(stage: string) {
  return defineTopic({
    name: `state.${stage}`,
    description: `Snapshots of the stage ${stage}.`,
    key: '<name>/<chunk>',
    partitions: 1,
    retention: { kind: 'compacted' },
    schema: snapshotChunk,
  });
}

const deadLetter = record('DeadLetter', 'A record that could not be decoded or processed.', {
  receivedAt: timestamp('The receive time of the record.'),
  stage: text('The stage that could not process it.'),
  topic: text('Topic of the record.'),
  partition: integer('Its partition.'),
  offset: integer('Its offset.'),
  key: text('Its key.'),
  reason: text('A short stable code, e.g. `malformed_json`; counted in /metrics.'),
  detail: text('What was wrong with the record.'),
  value: nullable(blob('Its bytes.')),
});
export type DeadLetter = Infer<typeof deadLetter>;

/** `dead.<topic>`: records of that topic that a stage could not process. */
export function deadLetterTopic(topic: string) {
  return defineTopic({
    name: `dead.${topic}`,
    description: `Records of ${topic} that could not be processed.`,
    key: '<stage>/<partition>/<offset>',
    partitions: 1,
    retention: { kind: 'derived' },
    schema: deadLetter,
  });
}

const schemaEntry = record('SchemaEntry', 'A schema under its id.', {
  receivedAt: timestamp('When it was registered.'),
  id: integer('The id that the Confluent framing carries.'),
  subject: text('Topic name with `-value`.'),
  schema: text('The Avro schema as JSON.'),
});
export type SchemaEntry = Infer<typeof schemaEntry>;

/** Every schema that a record was written with; the schema registry of the embedded log. */
export const schemaTopic = defineTopic({
  name: 'control.schemas',
  description:
    'Every schema that a record was written with, under its id; it is the schema registry of the embedded log, and checks the one of a cluster.',
  key: 'id',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: schemaEntry,
});
