import { type Infer, integer, nullable, record, text, timestamp } from '../avro.ts';
import { VENUES, type Venue } from '../domain/providers.ts';
import { defineTopic, type Topic } from './topic.ts';

const numbered = {
  channel: text('The channel, as subscribed to.'),
  seq: integer(
    'Counts the events of the channel without a gap, from 1 or from above the numbers of forgotten channels.',
  ),
};

const channelFrame = record('ChannelFrame', 'One event of one WebSocket channel. Only this record numbers it.', {
  ...numbered,
  type: text('`data.type` of the event frame.'),
  provider: nullable(text('`data.provider`.')),
  marketId: nullable(text('`data.marketId`.')),
  receivedAt: timestamp('`data.receivedAt`.'),
  payload: text('`data.payload` as JSON text, encoded once.'),
});
export type ChannelFrame = Infer<typeof channelFrame>;

const rawChannelFrame = record(
  'RawChannelFrame',
  'One event of a raw feed. Only this record numbers it; its payload is a slice of a raw record and stays there.',
  {
    ...numbered,
    provider: text('`data.provider`.'),
    marketId: nullable(text('`data.marketId`.')),
    receivedAt: timestamp('`data.receivedAt`.'),
    topic: text('Topic of the raw record.'),
    partition: integer('Partition of the raw record.'),
    offset: integer('Offset of the raw record.'),
    start: integer("Where `data.payload` begins in the raw record's payload read as text, in UTF-16 units."),
    length: integer('Length of `data.payload`, in UTF-16 units.'),
  },
);
export type RawChannelFrame = Infer<typeof rawChannelFrame>;

/**
 * Writers of channel frames: the normaliser of a venue for its raw feeds, the organizations processor for channels that
 * only one organization may receive, the channels processor for the rest.
 */
const CHANNEL_WRITERS = [...VENUES, 'events', 'organizations'] as const;
export type ChannelWriter = (typeof CHANNEL_WRITERS)[number];

const channelTopic = <T>(writer: ChannelWriter, description: string, schema: Topic<T>['schema']): Topic<T> =>
  defineTopic({
    name: `derived.channels.${writer}`,
    description,
    key: 'channel',
    partitions: 4,
    retention: { kind: 'hours', hours: 48 },
    schema,
  });

/** `derived.channels.<venue>`. */
export const rawChannelTopics = Object.fromEntries(
  VENUES.map((venue) => [venue, channelTopic(venue, `Frames of the raw feeds of ${venue}.`, rawChannelFrame)]),
) as Record<Venue, Topic<RawChannelFrame>>;

/** `derived.channels.<writer>`. */
export const channelTopics = {
  ...rawChannelTopics,
  events: channelTopic('events', 'Frames of the derived channels.', channelFrame),
  organizations: channelTopic('organizations', 'Frames of the channels of single organizations.', channelFrame),
};
