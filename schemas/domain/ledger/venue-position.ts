import { type Decimal, parseDecimal } from '../decimal.ts';
import { magnitude } from './books.ts';

/** The venue rounds sizes of positions, and leaves out what is smaller. */
const TOLERANCE = parseDecimal('0.01');

/** True if a ledger and its venue state different positions in a token. */
export function differsFromVenue(ledger: Decimal, venue: Decimal): boolean {
  return magnitude(ledger - venue) > TOLERANCE;
}
