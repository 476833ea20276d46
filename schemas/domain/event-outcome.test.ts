import { describe, expect, it } from 'vitest';
import { DecimalError } from './decimal.ts';
import { outcomeOf } from './event-outcome.ts';

describe('the outcome of payouts', () => {
  it.each([
    [['1', '0'], 0, false, 'yes'],
    [['1', '0'], 0, true, 'no'],
    [['1', '0'], 1, false, 'no'],
    [['1', '0'], 1, true, 'yes'],
    [['0.000000000000000000', '1.000000000000000000'], 0, false, 'no'],
    [['0.5', '0.5'], 0, false, 'split'],
    [['0.5', '0.5'], 1, true, 'split'],
    [['0.25', '0.75'], 1, false, 'split'],
    [['0.999999999999999999', '0.000000000000000001'], 0, false, 'split'],
  ] as const)('%j with YES at %i, inverse %j, is %s', (payouts, yesIndex, inverse, outcome) => {
    expect(outcomeOf(payouts, { yesIndex, inverse })).toBe(outcome);
  });

  it.each([[['1', '0'], 2] as const, [['1'], 0] as const, [[], 0] as const])(
    'is null where %j lack YES at %i or any other token',
    (payouts, yesIndex) => {
      expect(outcomeOf(payouts, { yesIndex, inverse: false })).toBeNull();
    },
  );

  it('throws where a payout is no number', () => {
    expect(() => outcomeOf(['1', 'none'], { yesIndex: 0, inverse: false })).toThrow(DecimalError);
  });
});
