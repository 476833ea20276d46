import { blob, type Infer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { VENUES, type Venue } from '../domain/providers.ts';
import { defineTopic, type Topic } from './topic.ts';

/** The thin envelope in which ingest keeps what a venue said. All interpretation is left to the processors. */
const envelope = record('RawEnvelope', 'One thing received from a venue, unchanged.', {
  provider: oneOf(VENUES, 'The venue that said it.'),
  stream: text(
    "Which of the venue's interfaces: the part of the recording source after the dot (`ws`, `info`, `rpc`, …).",
  ),
  key: text('The feed: a connection slot that keeps its name over reconnects.'),
  receivedAt: timestamp('When it was received.'),
  request: nullable(text('For an answer: the question, as JSON text (a body) or `GET /path?query`.')),
  payload: blob('The bytes of the frame or answer; for `rpc` the JSON of `{block}`, `{log}` or `{finalized}`.'),
});
export type RawEnvelope = Infer<typeof envelope>;

const feedEvent = record('FeedEvent', 'What ingest observed of one connection; never a gap without one of these.', {
  provider: oneOf(VENUES, 'The venue.'),
  feed: text('The connection slot.'),
  receivedAt: timestamp('When it happened.'),
  kind: oneOf(
    ['connected', 'disconnected', 'silent', 'unreachable', 'recorded', 'ended'],
    '`silent`: an open socket gave no sign of life; `unreachable`: reconnecting keeps failing; `recorded`: the feed is played from a recording, where silence means nothing; `ended`: the recording is over.',
  ),
  reason: nullable(text('What is known of the cause.')),
});
export type FeedEvent = Infer<typeof feedEvent>;

/** The interfaces of each venue that are kept, with the partition count of their topics. */
const STREAMS: Record<Venue, Record<string, { partitions: number; description: string; key: string }>> = {
  venue_a: {
    ws: { partitions: 4, description: 'WebSocket frames of venue_a.', key: 'feed' },
    info: { partitions: 1, description: 'REST `info` answers of venue_a.', key: 'feed' },
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
      description: "Past fills of venue_b's chain that a backfill found: a transaction each, with its block.",
      key: 'feed',
    },
    gamma: { partitions: 1, description: 'Catalog answers of venue_b.', key: 'feed' },
    clob: { partitions: 1, description: 'Market and book answers of venue_b.', key: 'feed' },
    data: { partitions: 1, description: 'Account answers of venue_b.', key: 'feed' },
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

/** `raw.<venue>.feeds`: the life of every connection to the venue. */
export const feedTopics = Object.fromEntries(
  VENUES.map((venue) => [
    venue,
    defineTopic({
      name: `raw.${venue}.feeds`,
      description: `Connections to ${venue} made, lost, silent.`,
      key: 'feed',
      partitions: 1,
      retention: { kind: 'raw' },
      schema: feedEvent,
    }),
  ]),
) as Record<Venue, Topic<FeedEvent>>;
