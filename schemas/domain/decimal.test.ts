import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalDecimal,
  type Decimal,
  DecimalError,
  decimalFromUnits,
  divide,
  divideHalfEven,
  formatDecimal,
  formatProduct,
  multiply,
  parseDecimal,
  parseProduct,
  toNumber,
  UNIT,
  ZERO,
} from './decimal.ts';

const LARGEST = 10n ** 38n - 1n;
const decimals = fc.bigInt({ min: -LARGEST, max: LARGEST }) as fc.Arbitrary<Decimal>;
const digits = (min: number, max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((list) => list.join(''));
/** Spellings of decimals, with superfluous zeros and signs, some of them too long. */
const spellings = fc
  .tuple(fc.boolean(), digits(0, 4), digits(1, 22), fc.option(digits(1, 22)), fc.nat(4))
  .map(([minus, zeros, integer, fraction, trailing]) => {
    const written = fraction === null ? '' : `.${fraction}${'0'.repeat(trailing)}`;
    return `${minus ? '-' : ''}${zeros.replace(/./g, '0')}${integer}${written}`;
  });
/** Text that is sometimes a decimal. */
const nearly = fc.string({ unit: fc.constantFrom('0', '1', '9', '.', '-', '+', 'e', ' ', '٣'), maxLength: 8 });

/** The result of `f`, or 'refused' for a `DecimalError`. */
const outcome = <T>(f: () => T): T | 'refused' => {
  try {
    return f();
  } catch (error) {
    if (error instanceof DecimalError) return 'refused';
    throw error;
  }
};

describe('a decimal', () => {
  it('is the same after it was formatted and parsed', () => {
    fc.assert(fc.property(decimals, (value) => parseDecimal(formatDecimal(value)) === value));
  });

  it('has one spelling: no exponent, no superfluous zeros, no minus zero', () => {
    fc.assert(
      fc.property(decimals, (value) => {
        expect(formatDecimal(value)).toMatch(/^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/);
      }),
    );
    expect(formatDecimal(ZERO)).toBe('0');
  });

  it('is parsed as the number that it spells', () => {
    fc.assert(
      fc.property(fc.integer({ min: -999_999, max: 999_999 }), fc.integer({ min: 0, max: 6 }), (units, places) => {
        const text = (units / 10 ** places).toFixed(places);
        expect(parseDecimal(text)).toBe(BigInt(units) * 10n ** BigInt(18 - places));
      }),
    );
  });

  it.each(['', '-', '.', '.5', '5.', '+1', ' 1', '1 ', '1e3', '1,000', '0x10', '--1', '1.2.3', 'NaN', 'Infinity', '٣'])(
    'is not parsed from %j',
    (text) => {
      expect(() => parseDecimal(text)).toThrow(DecimalError);
      expect(() => canonicalDecimal(text)).toThrow(DecimalError);
    },
  );

  it('holds 18 places, and more only where they are zero', () => {
    const last = '0.000000000000000001';
    expect(parseDecimal(last)).toBe(1n);
    expect(canonicalDecimal(`${last}000`)).toBe(last);
    expect(() => parseDecimal('0.0000000000000000001')).toThrow(DecimalError);
    expect(() => canonicalDecimal('0.0000000000000000001')).toThrow(DecimalError);
  });

  it('holds 20 digits before the point, zeros in front not counted', () => {
    const largest = '99999999999999999999.999999999999999999';
    expect(canonicalDecimal(largest)).toBe(largest);
    expect(canonicalDecimal(`-00${largest}`)).toBe(`-${largest}`);
    expect(() => parseDecimal('100000000000000000000')).toThrow(DecimalError);
    expect(() => canonicalDecimal('100000000000000000000')).toThrow(DecimalError);
  });
});

describe('the canonical text', () => {
  it('is that of the value, for every spelling, and refuses what parseDecimal refuses', () => {
    fc.assert(
      fc.property(fc.oneof(spellings, nearly), (text) => {
        expect(outcome(() => canonicalDecimal(text))).toBe(outcome(() => formatDecimal(parseDecimal(text))));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['3331.0', '3331'],
    ['0.10', '0.1'],
    ['007', '7'],
    ['00', '0'],
    ['-0.00', '0'],
    ['-00.50', '-0.5'],
    ['605822.2557999999', '605822.2557999999'],
  ])('of %s is %s', (text, canonical) => {
    expect(canonicalDecimal(text)).toBe(canonical);
  });
});

describe('division', () => {
  const anyInteger = fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n });

  it('returns the nearest integer, and of two equally near ones the even one', () => {
    fc.assert(
      fc.property(anyInteger, anyInteger, (n, d) => {
        fc.pre(d !== 0n);
        const quotient = divideHalfEven(n, d);
        const size = d < 0n ? -d : d;
        const twice = 2n * (n - quotient * d);
        const distance = twice < 0n ? -twice : twice;
        expect(distance <= size).toBe(true);
        if (distance === size) expect(quotient % 2n).toBe(0n);
      }),
    );
  });

  it.each([
    [1n, 2n, 0n],
    [3n, 2n, 2n],
    [5n, 2n, 2n],
    [-1n, 2n, 0n],
    [-3n, 2n, -2n],
    [5n, -2n, -2n],
    [7n, 4n, 2n],
  ])('of %s by %s is %s', (n, d, quotient) => {
    expect(divideHalfEven(n, d)).toBe(quotient);
  });

  it('by zero is refused', () => {
    expect(() => divideHalfEven(1n, 0n)).toThrow(DecimalError);
    expect(() => divide(UNIT, ZERO)).toThrow(DecimalError);
  });

  it('reverses an exact multiplication by the same number', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        (integer, factor) => {
          const value = (integer * UNIT) as Decimal;
          const by = (factor * 10n ** 9n) as Decimal;
          expect(divide(multiply(value, by), by)).toBe(value);
        },
      ),
    );
  });
});

describe('multiplication', () => {
  it('by one changes nothing', () => {
    fc.assert(fc.property(decimals, (value) => multiply(value, UNIT) === value));
  });

  it('rounds half to even at the last place', () => {
    const half = parseDecimal('0.5');
    expect(multiply(1n as Decimal, half)).toBe(0n);
    expect(multiply(3n as Decimal, half)).toBe(2n);
  });
});

describe('units', () => {
  it('become decimals exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (units) => {
        expect(formatDecimal(decimalFromUnits(units, 6))).toBe(
          canonicalDecimal(`${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, '0')}`),
        );
      }),
    );
    expect(decimalFromUnits(5n, 18)).toBe(5n);
    expect(decimalFromUnits(5n, 0)).toBe(5n * UNIT);
  });
});

describe('the JavaScript number of a decimal', () => {
  it('is the nearest one', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), (number) => {
        const text = number.toFixed(18);
        expect(toNumber(parseDecimal(text))).toBe(Number(text));
      }),
    );
    expect(toNumber(parseDecimal('0.1'))).toBe(0.1);
  });
});

describe('the text of a sum of exact products', () => {
  it('has up to 36 decimals and is parsed into the same number', () => {
    expect([1n, -UNIT, 3n * UNIT * UNIT].map(formatProduct)).toEqual([
      `0.${'0'.repeat(35)}1`,
      `-0.${'0'.repeat(17)}1`,
      '3',
    ]);
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        expect(parseProduct(formatProduct(a * b))).toBe(a * b);
      }),
    );
  });

  it.each(['', '.5', '1e3', `0.${'1'.repeat(37)}`])('is refused: %s', (text) => {
    expect(outcome(() => parseProduct(text))).toBe('refused');
  });
});
