import type { FeeModel } from '../../domain/arbitrage/fee-model.ts';

/** The base spot taker rate on the notional, rate · qty · p (contract, Markets, fees), not rounded. */
export const venueAOutcomeFee: FeeModel = {
  provider: 'venue_a_outcome',
  since: 0,
  levelFee: (rate, qty, price) => rate * qty * price,
};
