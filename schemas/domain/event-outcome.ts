/** What a market's payouts mean to the event that it is linked to (contract, Markets, Settlement record). */
import { type Decimal, parseDecimal, UNIT, ZERO } from './decimal.ts';

/** How a market stands to its event: what makes an outcome of payouts. */
export interface MarketSide {
  /** Which of its tokens is the market's YES. */
  readonly yesIndex: number;
  /** Whether its YES is the event's NO. */
  readonly inverse: boolean;
}

/** How an event was decided by one of its markets. */
export const EVENT_OUTCOMES = ['yes', 'no', 'split'] as const;
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

/**
 * The event's outcome by what a share of each of the market's tokens is paid, fractions of one in its own order. Null
 * where the payouts do not speak of its YES token, or of no other: nothing is guessed then. Throws `DecimalError`.
 */
export function outcomeOf(payouts: readonly string[], { yesIndex, inverse }: MarketSide): EventOutcome | null {
  const amounts = payouts.map((payout) => parseDecimal(payout));
  const paid: Decimal | undefined = amounts[yesIndex];
  if (paid === undefined || amounts.length < 2) return null;
  if (paid === UNIT) return inverse ? 'no' : 'yes';
  if (paid === ZERO) return inverse ? 'yes' : 'no';
  return 'split';
}
