import type { SpreadLeg } from '../topics/derived.ts';
import { type Decimal, formatDecimal, parseDecimal, UNIT } from './decimal.ts';

/**
 * How far venues agree on an event: 1 minus the largest distance between the yesMids of its live legs, as exact decimal
 * text (contract, Markets). Null with fewer than two yesMids; a leg without one is ignored.
 */
export function consensusScore(legs: readonly Pick<SpreadLeg, 'yesMid' | 'live'>[]): string | null {
  const mids = legs.flatMap(({ live, yesMid }) => (live && yesMid !== null ? [parseDecimal(yesMid)] : []));
  const [first] = mids;
  if (first === undefined || mids.length < 2) return null;
  let [least, most] = [first, first];
  for (const mid of mids) {
    if (mid < least) least = mid;
    if (mid > most) most = mid;
  }
  return formatDecimal((UNIT - (most - least)) as Decimal);
}
