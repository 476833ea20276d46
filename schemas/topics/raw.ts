import { blob, type Infer, list, nullable, oneOf, record, text, timestamp, withDefault } from '../avro.ts';
import { VENUES, type Venue } from '../domain/providers.ts';
import { STREAMS, type StreamOf } from '../venues/streams.ts';
import { defineTopic, type Topic } from './topic.ts';

/** The thin envelope in which ingest stores what a venue sent. Interpretation is left to the processors. */
const envelope = record('RawEnvelope', 'One message received from a venue, unchanged.', {
  provider: oneOf(VENUES, 'The venue that sent it.'),
  stream: text(
    "Which of the venue's interfaces: the part of the recording source after the dot (`ws`, `info`, `rpc`, …).",
  ),
  key: text('The feed: a connection slot, whose name is the same after a reconnect.'),
  receivedAt: timestamp('When it was received.'),
  request: nullable(
    text(
      'For a response: the request, as JSON text (a body) or `GET /path?query`. For a line of a file: the file, and how many of its bytes were read with the line (`<path>@<bytes>`).',
    ),
  ),
  requestedAt: withDefault(
    nullable(timestamp('For a response: when its request was sent; null where that is not recorded.')),
    null,
  ),
  payload: blob(
    'The bytes of the frame or response; for `rpc` the JSON of `{block}`, `{log}` or `{finalized}`; for `stats` a part of an export.',
  ),
});
export type RawEnvelope = Infer<typeof envelope>;

const feedEvent = record(
  'FeedEvent',
  'A change in the state of one connection, or in what the connections of a venue subscribe. Every gap in the raw records has one.',
  {
    provider: oneOf(VENUES, 'The venue.'),
    feed: text('The connection slot.'),
    receivedAt: timestamp('When it happened.'),
    kind: oneOf(
      ['connected', 'disconnected', 'silent', 'unreachable', 'recorded', 'ended', 'trades_left_out'],
      '`silent`: nothing was received on an open socket; `unreachable`: reconnecting keeps failing; `recorded`: the feed is played from a recording, where silence means nothing; `ended`: the recording has ended; `trades_left_out`: the trades of `coins`, and of no others, are not subscribed.',
    ),
    reason: nullable(text('The cause, if known.')),
    coins: withDefault(
      list(text('A coin.'), "The listed coins whose trades the venue's limit of subscriptions leaves out."),
      [],
    ),
  },
);
export type FeedEvent = Infer<typeof feedEvent>;

/** `raw.<venue>.<stream>`, by that name. */
export const rawTopics: ReadonlyMap<string, Topic<RawEnvelope>> = new Map(
  STREAMS.map(({ source, description, partitions }) => {
    const name = `raw.${source}`;
    return [
      name,
      defineTopic({ name, description, key: 'feed', partitions, retention: { kind: 'raw' }, schema: envelope }),
    ];
  }),
);

/** Names of the raw topics whose records are frames, not answers. */
export const FRAME_TOPICS: ReadonlySet<string> = new Set(
  STREAMS.filter(({ carries }) => carries === 'frames').map(({ source }) => `raw.${source}`),
);

/** Names of the raw topics whose records are parts of exports. */
export const EXPORT_TOPICS: ReadonlySet<string> = new Set(
  STREAMS.filter(({ carries }) => carries === 'exports').map(({ source }) => `raw.${source}`),
);

/** The raw topic of one interface of a venue. */
export function rawTopic<V extends Venue>(venue: V, stream: StreamOf<V>): Topic<RawEnvelope> {
  return rawTopics.get(`raw.${venue}.${stream}`)!;
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
