import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '../decimal.ts';
import { readCollateralBalance, readJsonNumber, readVenueBPositions, valueVenueBAccount } from './venue-b-value.ts';

const DATA = join(process.env.PARALLAX_SHARED ?? '../shared', 'data/venue_b/account/data_api_rows.json');

const row = (asset: string | number, size = '1', price = '0.5') =>
  `{"proxyWallet": "0x1", "asset":"${asset}", "size": ${size}, "title": "a, \\"b\\"", "curPrice":${price}}`;
const page = (from: number, rows: number) => `[${Array.from({ length: rows }, (_, at) => row(from + at)).join(', ')}]`;

function valued(pages: readonly string[], cash: readonly string[]) {
  const { valueUsd, availableUsd, navUsd } = valueVenueBAccount(readVenueBPositions(pages), cash.map(parseDecimal));
  return [valueUsd === null ? null : formatDecimal(valueUsd), formatDecimal(availableUsd), formatDecimal(navUsd)];
}

describe('the value of an account of venue_b', () => {
  it('is the sum of size times price, and the cash', () => {
    const pages = [`[${row('1', '181369.1314', '0.325')},${row('2', '10.5', '1')},${row('3', '7', '0')}]`];
    expect(valued(pages, ['100.25', '0.000001'])).toEqual(['58955.467705', '100.250001', '59055.717706']);
  });

  it('has the exact decimals as written, also of numbers that a float cannot hold', () => {
    expect(valued([`[${row('1', '123456789.123456789123456789', '1.0')}]`], [])[0]).toBe(
      '123456789.123456789123456789',
    );
    expect(formatDecimal(readJsonNumber('2.5e-7', 'size'))).toBe('0.00000025');
    expect(formatDecimal(readJsonNumber('1.5E3', 'size'))).toBe('1500');
    expect(formatDecimal(readJsonNumber('1.2345678901234567e-5', 'size'))).toBe('0.000012345678901235');
  });

  it('is unknown without positions, where the cash is all', () => {
    expect(valued(['[]'], ['3', '4'])).toEqual([null, '7', '7']);
  });

  it('counts every page once', () => {
    expect(valued([page(0, 500), page(500, 500), '[]'], ['1'])[2]).toBe('501');
    expect(valued([page(0, 500), page(500, 3)], [])[0]).toBe('251.5');
  });

  it.each([
    ['a repeated page', [page(0, 500), page(0, 500), '[]'], 'asset'],
    ['a missing last page', [page(0, 500)], 'page 0'],
    ['a short page before the last one', [page(0, 499), page(499, 1)], 'page 0'],
    ['no list', ['{"error":"x"}'], 'page 0'],
    ['a truncated page', [page(0, 2).slice(0, -5)], 'page 0'],
    ['a row without a price', ['[{"asset":"1","size":2}]'], 'page 0[0].curPrice'],
    ['a size that is null', [`[${row('1', 'null')}]`], 'page 0[0].size'],
    ['a row without a token', ['[{"size":1,"curPrice":1}]'], 'page 0[0].asset'],
    ['a row that is no object', ['[1]'], 'page 0[0].asset'],
  ])('is refused for %s', (_, pages, field) => {
    expect(() => readVenueBPositions(pages)).toThrow(field);
  });

  it('reads balances of 6 decimals, and refuses what is none', () => {
    expect(readCollateralBalance(`0x${1_234_567n.toString(16).padStart(64, '0')}`, 'cash')).toBe(
      parseDecimal('1.234567'),
    );
    for (const result of ['0x', null, '0x12', 5]) expect(() => readCollateralBalance(result, 'cash')).toThrow('cash');
  });

  it.skipIf(!existsSync(DATA))('equals the recorded values of positions (skipped: no data at PARALLAX_SHARED)', () => {
    const { v1_positions: rows } = JSON.parse(readFileSync(DATA, 'utf8'));
    for (const recorded of rows) {
      const { valueUsd } = valueVenueBAccount(readVenueBPositions([JSON.stringify([recorded])]), []);
      expect(Number(formatDecimal(valueUsd!))).toBeCloseTo(recorded.currentValue, 3);
    }
  });
});
