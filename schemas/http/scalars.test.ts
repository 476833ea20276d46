import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Decimal, formatDecimal } from '../domain/decimal.ts';
import { decimalJson, decimalNumber } from './scalars.ts';

it('decimalJson writes a decimal as JSON writes its number', () => {
  const scaled = fc
    .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 24 }))
    .map(([integer, zeros]) => (integer / 10n ** BigInt(zeros)) * 10n ** BigInt(zeros % 12));
  fc.assert(
    fc.property(scaled, (value) => {
      const text = formatDecimal(value as Decimal);
      expect(decimalJson(text)).toBe(JSON.stringify(decimalNumber(text)));
    }),
    { numRuns: 5_000 },
  );
});

it.each([
  ['0', '0'],
  ['-1.5', '-1.5'],
  ['0.000001', '0.000001'],
  ['0.0000001', '1e-7'],
  ['-0.0000001', '-1e-7'],
  ['123456789012.34', '123456789012.34'],
  ['0.1000000000000000055', '0.1'],
  ['1000000000000000000000', '1e+21'],
])('decimalJson writes %s as %s', (text, json) => {
  expect(decimalJson(text)).toBe(json);
});
