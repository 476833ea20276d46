import { added, blob, decimal, flag, type Infer, integer, nullable, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const clockMark = record('ClockMark', "The pipeline's time. Processors know no other.", {
  receivedAt: timestamp('The time it is now, a multiple of 5 s.'),
  tick: flag('A 5-second tick; false where only the hour or the day is marked, as over a recorded silence.'),
  hour: flag('The first mark of a UTC hour.'),
  day: flag('The first mark of a UTC day.'),
});
export type ClockMark = Infer<typeof clockMark>;

/** The clock that every processor goes by. */
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
  'One change asked for by an operator or a client. The reducer decides in log order.',
  {
    id: text('Unique id of the command; the node that appended it waits for its verdict under this id.'),
    receivedAt: timestamp("The pipeline's time when it was appended."),
    wallTime: timestamp('The wall time when it was appended.'),
    type: text('What is asked, as `key.create` (see schemas/domain/control).'),
    body: text(
      'The arguments as JSON; secrets of keys are hashed before they come here, signing secrets of webhooks stand in plain text.',
    ),
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

const change = record('ControlChange', 'A command at the place in the pipeline from which it counts.', {
  id: text('Of the command.'),
  receivedAt: timestamp("The pipeline's time from which it counts."),
  wallTime: timestamp('As in the command.'),
  type: text('As in the command.'),
  body: text('As in the command.'),
  commandOffset: integer('Offset of the command in `control.commands`.'),
});
export type ControlChange = Infer<typeof change>;

/**
 * Every command again, in the same order, written by the role that owns the pipeline's time: several nodes write
 * commands and none of them can promise a watermark, without which a processor could not merge them with what happens on
 * the venues. Whoever reduces these comes to the verdicts of those who reduce the commands.
 */
export const changeTopic = defineTopic({
  name: 'control.changes',
  description: 'Commands in the order and at the time in which processors take them.',
  key: 'command id',
  partitions: 1,
  retention: { kind: 'forever' },
  schema: change,
});

const settingsChange = record('SettingsChange', 'The settings that change figures, from a moment on.', {
  receivedAt: timestamp('Events received from here on are processed with them; 0 for the first.'),
  arbitrageSize: decimal('Shares that arbitrage is quoted for.'),
  venueAOutcomeTakerFee: decimal("venue_a_outcome's taker fee rate."),
  venueBConfirmations: integer('Blocks above a venue_b trade that make it confirmed.'),
  anomalyZ: added(decimal('Standard deviations from which on a value is told as an anomaly.'), '6'),
});
export type SettingsChange = Infer<typeof settingsChange>;

/** What the processors were set to, and when: whatever is worked out again uses the same. */
export const settingsTopic = defineTopic({
  name: 'control.settings',
  description: 'The settings that change figures, each time they changed, with the moment from which they hold.',
  key: 'always `processors`',
  partitions: 1,
  retention: { kind: 'forever' },
  schema: settingsChange,
});

const epoch = record('TopicEpoch', 'When a topic was begun, or begun anew by a rebuild.', {
  receivedAt: timestamp('Wall time of the beginning.'),
  topic: text('The topic.'),
  epoch: text('Opaque; another value means that seq numbers start over.'),
});
export type TopicEpoch = Infer<typeof epoch>;

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
    generation: integer('Two generations alternate, so that a half-written one never hides the last whole one.'),
    chunk: integer('Index of this piece; -1 is the manifest, written last.'),
    chunks: integer('How many pieces the generation has.'),
    payload: blob('A piece of the compressed state; in the manifest the offsets as JSON.'),
  },
);
export type StateChunk = Infer<typeof snapshotChunk>;

/** `state.<stage>`: the newest snapshot of a stage with the input offsets it stands at. */
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
  stage: text('Who gave up on it.'),
  topic: text('Where it was.'),
  partition: integer('Its partition.'),
  offset: integer('Its offset.'),
  key: text('Its key.'),
  reason: text('A short stable code, as `malformed_json`; counted in /metrics.'),
  detail: text('What exactly was wrong.'),
  value: nullable(blob('Its bytes.')),
});
export type DeadLetter = Infer<typeof deadLetter>;

/** `dead.<topic>`: what a stage could not take from that topic. */
export function deadTopic(topic: string) {
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

/** The embedded schema registry. */
export const schemaTopic = defineTopic({
  name: 'control.schemas',
  description: 'The embedded schema registry: every schema ever written with, under its id.',
  key: 'id',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: schemaEntry,
});
