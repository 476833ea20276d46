/** What a maker leg is as a trade: price, token and side as the taker saw them (venue page, section 7, match kinds). */
import { type Decimal, divide, UNIT } from '#schemas/domain/decimal';
import type { OrderFilled } from './order-filled.ts';

export interface LegTerms {
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  /** USD / quantity rounded half to even at 18 decimals; for a complement leg 1 minus that. */
  readonly price: Decimal;
  readonly qty: Decimal;
  /** Exact. */
  readonly usd: Decimal;
}

const OPPOSITE = { buy: 'sell', sell: 'buy' } as const;

/**
 * A maker leg from the taker's side.
 *
 * - Complementary (same token, opposite sides) and no taker leg known: the leg's own token and price, its side turned.
 * - Mint (both buy) and merge (both sell), on different tokens: the taker traded the complement, at 1 − p, for the rest
 *   of the USD that one pair of tokens stands for.
 *
 * Any other pairing cannot come from a match; the leg's own terms, which the log states, are what is certain then.
 */
export function termsOfLeg(leg: OrderFilled, takerLeg: OrderFilled | null): LegTerms {
  const price = divide(leg.usd, leg.qty);
  if (takerLeg && takerLeg.side === leg.side && takerLeg.token !== leg.token) {
    return {
      instrument: takerLeg.token,
      side: takerLeg.side,
      price: (UNIT - price) as Decimal,
      qty: leg.qty,
      usd: (leg.qty - leg.usd) as Decimal,
    };
  }
  return { instrument: leg.token, side: OPPOSITE[leg.side], price, qty: leg.qty, usd: leg.usd };
}
