import { defineFeeModel } from '../../domain/arbitrage/fee-model.ts';
import { UNIT } from '../../domain/decimal.ts';

/** The base spot taker rate on the notional, rate · qty · p (contract, Markets, fees), not rounded. */
export const venueAOutcomeFee = defineFeeModel({
  provider: 'venue_a_outcome',
  since: 0,
  shareFee: (rate, price) => rate * price * UNIT,
  step: 1n,
});
