/** Derives the outcome of an event from the payouts of a linked market (contract, Markets, Settlement record). */
import { type Decimal, parseDecimal, UNIT, ZERO } from './decimal.ts';

/** The relation of a market's outcomes to its event. */
export interface MarketSide {
  /** Index of the market's YES token. */
  readonly yesIndex: number;
  /** True if its YES is the event's NO. */
  readonly inverse: boolean;
}

/** How an event was resolved by one of its markets. */
export const EVENT_OUTCOMES = ['yes', 'no', 'split'] as const;
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

/**
 * Returns the outcome of the event. `payouts` states what a share of each token pays, as fractions of one in the order of
 * the market. Null if the payouts lack the YES token or any other: nothing is guessed. Throws `DecimalError`.
 */
export function outcomeOf(payouts: readonly string[], { yesIndex, inverse }: MarketSide): EventOutcome | null {
  const amounts = payouts.map((payout) => parseDecimal(payout));
  const paid: Decimal | undefined = amounts[yesIndex];
  if (paid === undefined || amounts.length < 2) return null;
  if (paid === UNIT) return inverse ? 'no' : 'yes';
  if (paid === ZERO) return inverse ? 'yes' : 'no';
  return 'split';
}
