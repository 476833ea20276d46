/** What each process reports about itself every few seconds. */
import { float, type Infer, integer, list, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { VENUES } from '../domain/providers.ts';
import { defineTopic } from './topic.ts';

const stage = record('StageReport', 'A stage or view that runs on the node.', {
  stage: text('Its name.'),
  positionAt: nullable(timestamp('Event time up to which it has processed everything; null before any is known.')),
  lagMs: integer("The pipeline's time minus its position."),
  eventsPerSecond: float('Records that it processed per second since the report before.'),
});

const feed = record('FeedReport', 'A connection to a venue.', {
  feed: text('The connection slot.'),
  venue: oneOf(VENUES, 'The venue.'),
  state: text(
    'The kind of its newest feed event: `connected`, `disconnected`, `silent`, `unreachable`, `recorded` or `ended`.',
  ),
  since: timestamp('When that state began.'),
  lastFrameAt: nullable(timestamp('When it last received something; null if it has not since the start.')),
  lost1h: integer('How often its connection was lost in the last hour.'),
});

const keySockets = record('KeySockets', 'The sockets of one key on the node.', {
  keyId: text('The key.'),
  orgId: text('Its organization.'),
  sockets: integer('Open sockets.'),
  subscriptions: integer('Their subscriptions.'),
  queuedBytes: integer('Bytes that wait for these clients.'),
  sentPerSecond: float('Event frames sent per second since the report before.'),
  dropped1h: integer('Event frames that were dropped in the last hour.'),
});
export type KeySockets = Infer<typeof keySockets>;

const deadLetters = record('DeadLetterCount', 'Dead letters of one reason, counted by the node.', {
  topic: text('The topic of the records.'),
  reason: text('Why they could not be processed.'),
  count: integer('How many since the node started.'),
});

const nodeReport = record('NodeReport', 'The state of one process.', {
  node: text('Name of the process.'),
  at: timestamp('Wall time of the report.'),
  roles: list(text('A role.'), 'The roles that it runs.'),
  version: text('Its version.'),
  startedAt: timestamp('When it started.'),
  stages: list(stage, 'Stages and views.'),
  feeds: list(feed, 'Connections to venues.'),
  sinkLagMs: nullable(
    integer('Age of what the tables hold, of the table that is furthest behind; null without a sink.'),
  ),
  keys: nullable(list(keySockets, 'Keys with sockets or with recent drops; null without a gateway.')),
  deadLetters: list(deadLetters, 'Dead letters.'),
});
export type NodeReport = Infer<typeof nodeReport>;

/** The newest report of a node is its state; older ones are of no use. */
export const nodeReportTopic = defineTopic({
  name: 'control.node-reports',
  description: 'What each process reports about itself every few seconds.',
  key: 'node',
  partitions: 1,
  retention: { kind: 'hours', hours: 1 },
  schema: nodeReport,
});
