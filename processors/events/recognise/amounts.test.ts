import { describe, expect, it } from 'vitest';
import { addDecimals, parseAmount } from './amounts.ts';

describe('parseAmount', () => {
  it.each([
    ['$62,000', '62000'],
    ['62000', '62000'],
    ['$4,500.00', '4500'],
    ['0.50', '0.5'],
    ['100k', '100000'],
    ['$1.25M', '1250000'],
    ['1.2345k', '1234.5'],
    ['$2b', '2000000000'],
    ['10000 USDC', '10000'],
    ['1,234,567.89', '1234567.89'],
  ])('reads %s as %s', (text, expected) => {
    expect(parseAmount(text)).toBe(expected);
  });

  it.each(['', '$', '1,00', '12,3456', '1e5', '-5', '5%', '10000 apples', `1${'0'.repeat(20)}`])(
    'rejects %j',
    (text) => {
      expect(parseAmount(text)).toBeNull();
    },
  );
});

it('adds decimals exactly', () => {
  expect(addDecimals('72299.99', '0.01')).toBe('72300');
});
