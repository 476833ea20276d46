import { UNIT } from '#schemas/domain/decimal';
import type { FeeModel } from './fee-model.ts';

/** rate · qty · p · (1 − p) comes in units of 10^-72; a unit of the fifth decimal is so many of them. */
const FIFTH_DECIMAL_OF_PRODUCT = 10n ** 67n;
/** The same unit in the 10^-54 of a `FeeModel`. */
const FIFTH_DECIMAL = 10n ** 49n;

/** Takers pay on what is uncertain: rate · qty · p · (1 − p), floored to 5 decimals (venue_b page, section 7, Fees). */
export const venueBFee: FeeModel = {
  provider: 'venue_b',
  since: 0,
  levelFee: (rate, qty, price) => ((rate * qty * price * (UNIT - price)) / FIFTH_DECIMAL_OF_PRODUCT) * FIFTH_DECIMAL,
};
