import { describe, expect, it } from 'vitest';
import { amountText, plainText, pointText, probabilityText } from './number-text.ts';

describe('number texts', () => {
  it.each([
    [14_325, 2, '143.25'],
    [14_300, 2, '143'],
    [14_320, 2, '143.2'],
    [5, 3, '0.005'],
    [0, 2, '0'],
    [620, 0, '620'],
  ])('prints %i units of %i decimals as %s', (units, decimals, text) => {
    expect(plainText(units, decimals)).toBe(text);
  });

  it('ends whole numbers in .0 where the venue does', () => {
    expect(pointText(80_639, 0)).toBe('80639.0');
    expect(pointText(18_693, 1)).toBe('1869.3');
    expect(amountText(12.5, 6)).toBe('12.5');
    expect(amountText(12, 6)).toBe('12.0');
    expect(amountText(100, 2)).toBe('100.0');
  });

  it('prints thousandths', () => {
    expect([0, 1, 620, 1000].map(probabilityText)).toEqual(['0', '0.001', '0.62', '1']);
  });
});
