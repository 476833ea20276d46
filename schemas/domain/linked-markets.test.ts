import { expect, it } from 'vitest';
import { hasLeg, yesIndexOf } from './linked-markets.ts';

it('the YES index is that of the outcome named yes, else the first', () => {
  expect(yesIndexOf(['No', 'YES'])).toBe(1);
  expect(yesIndexOf(['Up', 'Down'])).toBe(0);
  expect(yesIndexOf([])).toBe(0);
});

it('a link has a leg if it is used and its YES can be traded', () => {
  expect(hasLeg({ used: true, yesInstrument: '#10' })).toBe(true);
  expect(hasLeg({ used: false, yesInstrument: '#10' })).toBe(false);
  expect(hasLeg({ used: true, yesInstrument: '' })).toBe(false);
});
