import { blob, type Infer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { VENUES, type Venue } from '../domain/providers.ts';
import { defineTopic, type Topic } from './topic.ts';

/** The thin envelope in which ingest stores what a venue sent. Interpretation is left to the processors. */
const envelope = record('RawEnvelope', 'One message received from a venue, unchanged.', {
  provider: oneOf(VENUES, 'The venue that sent it.'),
  stream: text(
    "Which of the venue's interfaces: the part of the recording source after the dot (`ws`, `info`, `rpc`, …).",
  ),
  key: text('The feed: a connection slot, whose name is the same after a reconnect.'),
  receivedAt: timestamp('When it was received.'),
  request: nullable(text('For a response: the request, as JSON text (a body) or `GET /path?query`.')),
  payload: blob('The bytes of the frame or response; for `rpc` the JSON of `{block}`, `{log}` or `{finalized}`.'),
});
export type RawEnvelope = Infer<typeof envelope>;

const feedEvent = record(
  'FeedEvent',
  'A change in the state of one connection. Every gap in the raw records has one.',
  {
    provider: oneOf(VENUES, 'The venue.'),
    feed: text('The connection slot.'),
    receivedAt: timestamp('When it happened.'),
    kind: oneOf(
      ['connected', 'disconnected', 'silent', 'unreachable', 'recorded', 'ended'],
      '`silent`: nothing was received on an open socket; `unreachable`: reconnecting keeps failing; `recorded`: the feed is played from a recording, where silence means nothing; `ended`: the recording has ended.',
    ),
    reason: nullable(text('The cause, if known.')),
  },
);
export type FeedEvent = Infer<typeof feedEvent>;

/** The interfaces of each venue that are recorded, with the partition count of their topics. */
const STREAMS: Record<Venue, Record<string, { partitions: number; description: string; key: string }>> = {
  venue_a: {
    ws: { partitions: 4, description: 'WebSocket frames of venue_a.', key: 'feed' },
    info: { partitions: 1, description: 'REST `info` responses of venue_a.', key: 'feed' },
    stats: { partitions: 1, description: "Exports of venue_a's stats host.", key: 'feed' },
  },
  venue_b: {
    clob_ws: { partitions: 4, description: 'Market-socket frames of venue_b.', key: 'feed' },
    rpc: {
      partitions: 1,
      description:
        "Block headers, logs and final block numbers of venue_b's chain; one partition, since a chain is one sequence.",
      key: 'feed',
    },
    history: {
      partitions: 1,
      description:
        "Past fills of venue_b's chain that a backfill found: one transaction for each record, with its block.",
      key: 'feed',
    },
    gamma: { partitions: 1, description: 'Catalog responses of venue_b.', key: 'feed' },
    clob: { partitions: 1, description: 'Market and book responses of venue_b.', key: 'feed' },
    data: { partitions: 1, description: 'Account responses of venue_b.', key: 'feed' },
    pnl: { partitions: 1, description: 'PnL series of venue_b.', key: 'feed' },
  },
};

/** `raw.<venue>.<stream>`, by that name. */
export const rawTopics: ReadonlyMap<string, Topic<RawEnvelope>> = new Map(
  VENUES.flatMap((venue) =>
    Object.entries(STREAMS[venue]).map(([stream, { partitions, description, key }]) => {
      const name = `raw.${venue}.${stream}`;
      return [
        name,
        defineTopic({ name, description, key, partitions, retention: { kind: 'raw' }, schema: envelope }),
      ] as const;
    }),
  ),
);

/** The raw topic of one interface of a venue. */
export function rawTopic(venue: Venue, stream: string): Topic<RawEnvelope> {
  const topic = rawTopics.get(`raw.${venue}.${stream}`);
  if (!topic) throw new Error(`no raw topic raw.${venue}.${stream}`);
  return topic;
}

/** `raw.<venue>.feeds`: changes in the state of every connection to the venue. */
export const feedTopics = Object.fromEntries(
  VENUES.map((venue) => [
    venue,
    defineTopic({
      name: `raw.${venue}.feeds`,
      description: `Changes in the state of connections to ${venue}.`,
      key: 'feed',
      partitions: 1,
      retention: { kind: 'raw' },
      schema: feedEvent,
    }),
  ]),
) as Record<Venue, Topic<FeedEvent>>;
