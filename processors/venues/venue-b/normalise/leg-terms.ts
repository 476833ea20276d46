/** Terms of a maker leg as a trade: price, token, side from the taker's view (venue page, section 7, match kinds). */
import { type Decimal, divide, UNIT } from '#schemas/domain/decimal';
import type { OrderFilled } from './order-filled.ts';

export interface LegTerms {
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  /** USD / quantity, rounded half to even at 18 decimals; for a complement leg 1 minus that. */
  readonly price: Decimal;
  readonly qty: Decimal;
  /** Exact. */
  readonly usd: Decimal;
}

const OPPOSITE = { buy: 'sell', sell: 'buy' } as const;

/**
 * Returns the terms of a maker leg from the taker's view.
 *
 * - Complementary (same token, opposite sides) and no taker leg known: the leg's own token and price, the opposite
 *   side.
 * - Mint (both buy) and merge (both sell), on different tokens: the taker traded the complement, at 1 − p, for the rest
 *   of the USD that one pair of tokens is worth.
 *
 * No other pairing can come from a match. The leg's own terms are used then, since the log states them.
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
