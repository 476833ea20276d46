/** When the series of followed accounts were requested, and when they are requested again. */
import { type Infer, list, oneOf, record, text, timestamp } from '../avro.ts';
import { WINDOWS } from '../domain/returns/series.ts';
import { defineTopic } from './topic.ts';

/** A series is requested at least every hour. */
export const SERIES_ATTEMPT_RETENTION_HOURS = 2;

const seriesAttempt = record('SeriesAttempt', 'A request for series of a followed account that ended or failed.', {
  account: text('Venue and address of the account: `<venue>:<address>`.'),
  windows: list(oneOf(WINDOWS, 'How far back it reaches.'), 'The windows that a response has.'),
  attemptedAt: timestamp('Wall time at which it was sent.'),
  nextAttemptAt: timestamp('From when it is sent again, unless the stage has processed a response by then.'),
  receivedAt: timestamp('Wall time at which it ended.'),
});
export type SeriesAttempt = Infer<typeof seriesAttempt>;

/** Written by the holder of the lease of ingest. The newest record of an account and window counts. */
export const seriesAttemptTopic = defineTopic({
  name: 'control.series-attempts',
  description: 'Requests for the series of followed accounts.',
  key: 'account',
  partitions: 1,
  retention: { kind: 'hours', hours: SERIES_ATTEMPT_RETENTION_HOURS },
  schema: seriesAttempt,
});
