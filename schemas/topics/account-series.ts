/** Topic of the stage `series`: what venues state about the value and the profit of followed accounts over time. */
import { decimal, type Infer, list, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { VENUE_SOURCES, WINDOWS } from '../domain/returns/series.ts';
import { defineTopic } from './topic.ts';

const point = record('StatedPoint', 'A point of a series.', {
  ts: timestamp('The time of the point.'),
  nav: nullable(decimal('Value of the account, USD; null where the venue does not state it.')),
  pnl: decimal('Profit since the first point, USD.'),
});

const accountSeries = record(
  'AccountSeries',
  'The series of a followed account and window, as its venue last stated it.',
  {
    account: text('Venue and address of the account: `<venue>:<address>`.'),
    window: oneOf(WINDOWS, 'How far back it reaches.'),
    source: oneOf(VENUE_SOURCES, 'Which series of the venue.'),
    observedAt: nullable(timestamp('When the venue stated it; null before the first response.')),
    points: list(point, 'Ascending by time; none for an account that the venue does not know.'),
  },
);
export type AccountSeries = Infer<typeof accountSeries>;
/** A record exists from the binding on. An account that no binding names any more is removed. */
export const accountSeriesTopic = defineTopic({
  name: 'derived.account-series',
  description: 'Series of followed accounts, as their venues state them.',
  key: 'account and window',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: accountSeries,
});

export const seriesKey = ({ account, window }: Pick<AccountSeries, 'account' | 'window'>): string =>
  `${account} ${window}`;
