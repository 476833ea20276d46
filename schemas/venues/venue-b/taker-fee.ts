import type { FeeModel } from '../../domain/arbitrage/fee-model.ts';
import { UNIT } from '../../domain/decimal.ts';

/** The fifth decimal in units of 10^-72, the units of rate · qty · p · (1 − p). */
const FIFTH_DECIMAL_OF_PRODUCT = 10n ** 67n;
/** The fifth decimal in units of 10^-54, the units of a `FeeModel`. */
const FIFTH_DECIMAL = 10n ** 49n;

/** The taker fee is rate · qty · p · (1 − p), floored to 5 decimals (venue_b page, section 7, Fees). */
export const venueBFee: FeeModel = {
  provider: 'venue_b',
  since: 0,
  levelFee: (rate, qty, price) => ((rate * qty * price * (UNIT - price)) / FIFTH_DECIMAL_OF_PRODUCT) * FIFTH_DECIMAL,
};
