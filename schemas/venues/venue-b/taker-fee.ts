import { defineFeeModel } from '../../domain/arbitrage/fee-model.ts';
import { UNIT } from '../../domain/decimal.ts';

/** The fifth decimal in units of 10^-54. */
const FIFTH_DECIMAL = 10n ** 49n;

/** The taker fee is rate · qty · p · (1 − p), floored to 5 decimals (venue_b page, section 7, Fees). */
export const venueBFee = defineFeeModel({
  provider: 'venue_b',
  since: 0,
  shareFee: (rate, price) => rate * price * (UNIT - price),
  step: FIFTH_DECIMAL,
});
