/** Which bar of venue_a gives the price of a token at a time. */
import { INTERVALS, type Interval } from '../../domain/candles/sources.ts';
import { STORED_BARS } from './candle-snapshot.ts';

/** The venue stores a number of bars of each length. The shortest first. */
const PRICE_BARS = ['1m', '1h'] as const;

/** The shortest bars of which the venue still stores the one that contains a time. @param ageMs of that time. */
export function priceInterval(ageMs: number): Interval {
  return PRICE_BARS.find((name) => ageMs < (STORED_BARS - 1) * INTERVALS[name]) ?? '1d';
}
