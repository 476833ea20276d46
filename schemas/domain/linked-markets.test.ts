import { expect, it } from 'vitest';
import { hasLeg, yesIndexOf } from './linked-markets.ts';

it('YES is the outcome of that name, else the first', () => {
  expect(yesIndexOf(['No', 'YES'])).toBe(1);
  expect(yesIndexOf(['Up', 'Down'])).toBe(0);
  expect(yesIndexOf([])).toBe(0);
});

it('a leg is a used link whose YES can be traded', () => {
  expect(hasLeg({ used: true, yesInstrument: '#10' })).toBe(true);
  expect(hasLeg({ used: false, yesInstrument: '#10' })).toBe(false);
  expect(hasLeg({ used: true, yesInstrument: '' })).toBe(false);
});
