/** Daily rows of venue_a's markets, and the hourly samples of spot pairs from which theirs follow. */
import { decimal, flag, type Infer, integer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** Kinds of market that have daily rows, in the order in which they are listed. */
export const MARKET_TYPES = ['perp', 'spot'] as const;
export type MarketType = (typeof MARKET_TYPES)[number];

/** From what the rows follow: 5-minute bars, or hourly samples of spot contexts. */
export const DAILY_SOURCES = ['candle_agg_5m', 'ctx_sample'] as const;

const dailyRow = record('DailyRow', 'A market on a UTC day that has ended; published again when its figures change.', {
  tradeDate: text('The UTC day, YYYY-MM-DD.'),
  marketType: oneOf(MARKET_TYPES, 'What is traded.'),
  symbol: text('The market: `BTC`, `xyz:TSLA` on a builder dex, `HYPE-USDC` for a pair.'),
  receivedAt: timestamp('Event time of the input that caused it: the day mark, or the mark after a correction.'),
  open: decimal('First price.'),
  high: decimal('Highest price.'),
  low: decimal('Lowest price.'),
  close: decimal('Last price.'),
  volume: nullable(decimal('Base volume.')),
  amount: nullable(decimal('Quote turnover.')),
  marketCap: nullable(decimal('Value of the circulating supply of a pair; null for a perp, or if unknown.')),
  parts: integer('Its 5-minute bars or hourly samples; 0 if none of them is valid any more: then there is no row.'),
  complete: flag('False if trades may be missing in a bucket of the day.'),
  source: oneOf(DAILY_SOURCES, 'What it follows from.'),
});
export type DailyRow = Infer<typeof dailyRow>;

export const dailyRowTopic = defineTopic({
  name: 'derived.daily-rows.venue_a',
  description: 'Daily rows of the perps, contracts and spot pairs of venue_a.',
  key: 'symbol',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: dailyRow,
});

const spotSample = record('SpotSample', 'What the newest spot contexts state about a pair at an hour mark.', {
  coin: text("The venue's coin."),
  receivedAt: timestamp('The hour mark.'),
  pair: text('Its name, such as HYPE-USDC; several pairs can have the same.'),
  canonical: flag('True for the one pair that the name means.'),
  markPrice: decimal('Mark price.'),
  dayBaseVolume: nullable(decimal('Base volume of 24 hours.')),
  dayNotionalVolume: nullable(decimal('Quote volume of 24 hours.')),
  circulatingSupply: nullable(decimal('Circulating supply of the base token.')),
});
export type SpotSample = Infer<typeof spotSample>;

export const spotSampleTopic = defineTopic({
  name: 'derived.spot-samples.venue_a',
  description: 'Hourly samples of the spot contexts of venue_a.',
  key: 'coin',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: spotSample,
});
