import type { SpreadLeg } from '../topics/derived.ts';
import { type Decimal, formatDecimal, parseDecimal, UNIT } from './decimal.ts';

type Mid = Pick<SpreadLeg, 'yesMid' | 'live'>;

/**
 * The largest distance between the yesMids of the live legs of an event (contract, Portal routes). Null with fewer than
 * two yesMids; a leg without one is ignored.
 */
export function largestDistance(legs: readonly Mid[]): Decimal | null {
  const mids = legs.flatMap(({ live, yesMid }) => (live && yesMid !== null ? [parseDecimal(yesMid)] : []));
  const [first] = mids;
  if (first === undefined || mids.length < 2) return null;
  let [least, most] = [first, first];
  for (const mid of mids) {
    if (mid < least) least = mid;
    if (mid > most) most = mid;
  }
  return (most - least) as Decimal;
}

/**
 * How far venues agree on an event: 1 minus the largest distance, as exact decimal text (contract, Markets). Null where
 * that is null.
 */
export function consensusScore(legs: readonly Mid[]): string | null {
  const distance = largestDistance(legs);
  return distance === null ? null : formatDecimal((UNIT - distance) as Decimal);
}
