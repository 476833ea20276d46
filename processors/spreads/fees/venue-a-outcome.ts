import type { FeeModel } from './fee-model.ts';

/** The base spot taker rate on the notional (contract, Markets, fees), not rounded. */
export const venueAOutcomeFee: FeeModel = {
  provider: 'venue_a_outcome',
  version: 1,
  formula: 'rate · qty · p',
  levelFee: (rate, qty, price) => rate * qty * price,
};
