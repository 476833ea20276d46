/**
 * Candles: stored bars of several sources, and beside them where each source is complete. `domain/candles/` selects
 * from both.
 */
import { decimal, type Infer, integer, nullable, oneOf, record, text, timestamp, withDefault } from '../avro.ts';
import { VENUES, type Venue } from '../domain/providers.ts';
import { defineTopic, type Topic } from './topic.ts';

const candle = record('Candle', 'A bar of one source; published again each time it changes.', {
  provider: text('Fine-grained provider.'),
  coin: text('The coin or token.'),
  openTime: timestamp('Start of the bucket, a multiple of its length.'),
  receivedAt: timestamp('Receive time of the input that changed it last.'),
  open: decimal('First price; of our own bars by venue time then arrival.'),
  high: decimal('Highest price.'),
  low: decimal('Lowest price.'),
  close: decimal('Last price; of our own bars by venue time then arrival.'),
  volume: decimal('Base volume.'),
  trades: integer('Number of trades; 0 if all of them were reverted: then there is no bar.'),
  source: text('Where it comes from (`domain/candles/sources.ts`).'),
  intervalMs: withDefault(integer('Length of the bucket.'), 60_000),
  openTs: withDefault(nullable(timestamp('Venue time of the first trade of an instrument of a question.')), null),
  openArrival: withDefault(nullable(integer('Arrival of that trade.')), null),
  closeTs: withDefault(nullable(timestamp('Venue time of the last trade of an instrument of a question.')), null),
  closeArrival: withDefault(nullable(integer('Arrival of that trade.')), null),
});
export type Candle = Infer<typeof candle>;

const candleRange = record('CandleRange', 'A range of time in which a source of bars is complete, or is not.', {
  provider: text('Fine-grained provider.'),
  coin: text('The coin or token.'),
  source: text('The source.'),
  intervalMs: integer('Length of the buckets.'),
  id: text('Identifies the range within its source: a later record with the same id replaces it.'),
  kind: oneOf(
    ['complete', 'gap', 'none'],
    '`complete`: the source reported everything that happened in it; `gap`: trades in it may be missing, whatever other ranges state; `none`: nothing was missed, contrary to an earlier record.',
  ),
  from: timestamp('Start; of a gap the newest known trade or the loss of the connection.'),
  until: nullable(
    timestamp('End, exclusive; of a gap inclusive. Null if the range has not ended, so that it includes the future.'),
  ),
  receivedAt: timestamp('Receive time of the input that stated it.'),
});
export type CandleRange = Infer<typeof candleRange>;

/** Id of the gap before the recording of an instrument, in which nothing was received. It is not repaired. */
export const START_RANGE_ID = 'start';

/** True for a gap within the recording of an instrument: not for the one before it. */
export function isTradeGap({ kind, id }: Pick<CandleRange, 'kind' | 'id'>): boolean {
  return kind === 'gap' && id !== START_RANGE_ID;
}

/** Bars from recorded trades, written by the stage `candles`. */
export const candleTopic = defineTopic({
  name: 'derived.candles',
  description: 'One-minute bars from recorded trades.',
  key: 'coin',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: candle,
});

/** Since when the bars of `candleTopic` are complete. */
export const candleRangeTopic = defineTopic({
  name: 'derived.candle-ranges',
  description: 'Where the bars from recorded trades are complete.',
  key: 'coin',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: candleRange,
});

function perVenue<T>(define: (venue: Venue) => Topic<T>): Record<Venue, Topic<T>> {
  return Object.fromEntries(VENUES.map((venue) => [venue, define(venue)])) as Record<Venue, Topic<T>>;
}

/** `derived.venue-candles.<venue>`: bars that the venue calculated itself. */
export const venueCandleTopics = perVenue((venue) =>
  defineTopic({
    name: `derived.venue-candles.${venue}`,
    description: `Bars that ${venue} calculated itself.`,
    key: 'coin',
    partitions: 1,
    retention: { kind: 'derived' },
    schema: candle,
  }),
);

/** `derived.venue-candle-ranges.<venue>`: where these are complete, and gaps in the recorded trades of the venue. */
export const venueCandleRangeTopics = perVenue((venue) =>
  defineTopic({
    name: `derived.venue-candle-ranges.${venue}`,
    description: `Where the own bars of ${venue} are complete, and gaps in its recorded trades.`,
    key: 'coin',
    partitions: 1,
    retention: { kind: 'derived' },
    schema: candleRange,
    counted: {
      metric: 'tradeHoles',
      labelsOf: (range) => (isTradeGap(range) && range.until !== null ? { venue } : null),
    },
  }),
);

/** Bars of the external exchange, written by the stage `klines.venue_a`. */
export const externalCandleTopic = defineTopic({
  name: 'derived.external-candles',
  description: 'Bars of the external exchange.',
  key: 'coin',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: candle,
});

/** Where the bars of `externalCandleTopic` are complete. */
export const externalCandleRangeTopic = defineTopic({
  name: 'derived.external-candle-ranges',
  description: 'Where the bars of the external exchange are complete.',
  key: 'coin',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: candleRange,
});
