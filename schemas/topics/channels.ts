import { type Infer, integer, nullable, record, text, timestamp } from '../avro.ts';
import { VENUES } from '../domain/providers.ts';
import { defineTopic, type Topic } from './topic.ts';

const channelFrame = record('ChannelFrame', 'One event of one WebSocket channel, numbered once, here.', {
  channel: text('The channel, as subscribed to.'),
  seq: integer(
    'Counts the events of the channel without a hole, from 1 or from above those of a channel that is forgotten.',
  ),
  type: text('`data.type` of the event frame.'),
  provider: nullable(text('`data.provider`.')),
  marketId: nullable(text('`data.marketId`.')),
  receivedAt: timestamp('`data.receivedAt`.'),
  payload: text('`data.payload` as JSON text, encoded once.'),
});
export type ChannelFrame = Infer<typeof channelFrame>;

/**
 * Who writes a channel's frames: the normaliser of a venue for its raw feeds, the organizations processor for those that
 * one organization alone may hear, the channels processor for the rest.
 */
export const CHANNEL_WRITERS = [...VENUES, 'events', 'organizations'] as const;
export type ChannelWriter = (typeof CHANNEL_WRITERS)[number];

const DESCRIPTIONS = new Map<ChannelWriter, string>([
  ['events', 'Frames of the derived channels.'],
  ['organizations', 'Frames of the channels of single organizations.'],
]);

/** `derived.channels.<writer>`. */
export const channelTopics = Object.fromEntries(
  CHANNEL_WRITERS.map((writer) => [
    writer,
    defineTopic({
      name: `derived.channels.${writer}`,
      description: DESCRIPTIONS.get(writer) ?? `Frames of the raw feeds of ${writer}.`,
      key: 'channel',
      partitions: 4,
      retention: { kind: 'hours', hours: 48 },
      schema: channelFrame,
    }),
  ]),
) as Record<ChannelWriter, Topic<ChannelFrame>>;
