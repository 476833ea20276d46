import { expect, test } from 'vitest';
import { lacksFills, reasonOf } from './reasons.ts';

const ALL = { mode: 'snapshot', platform: 'all' };

test('the reason of a figure that venue_b has none of is not that it is late', () => {
  expect(reasonOf('realizedPnlUsd', { provider: 'venue_b' }, ALL)).toBe('not stated for venue_b');
  expect(reasonOf('volumeUsd', { provider: 'venue_b' }, ALL)).toContain('not loaded');
  expect(reasonOf('realizedPnlUsd', { provider: 'venue_a_dex' }, ALL)).toContain('not loaded');
});

test('a value is missing for another reason in each mode', () => {
  expect(reasonOf('accountValueUsd', { provider: 'venue_a' }, ALL)).toContain('snapshot');
  expect(reasonOf('accountValueUsd', { provider: 'venue_a' }, { ...ALL, mode: 'live' })).toContain('could not be read');
});

test('fees of the exchange are not known of the fills of builders alone', () => {
  const mine = { ...ALL, platform: 'mine' };
  expect(reasonOf('tradingFeeUsd', { provider: 'venue_a' }, mine)).toBe('not divided by builders');
  expect(reasonOf('builderFeeUsd', { provider: 'venue_a' }, mine)).toContain('the builder of one is not known');
});

test('a return is missing without a value at the start of the window', () => {
  expect(reasonOf('mwrPct', { provider: 'venue_b' }, ALL)).toContain('start of the window');
  const known = { provider: 'venue_b', netPnlUsd: 0 };
  expect(reasonOf('mwrPct', known, ALL)).toBe('nothing was invested in the window');
});

test('a row of a venue lacks fills if those of one of its wallets are not loaded', () => {
  expect(lacksFills({ fillsThrough: null, volumeUsd: 12 })).toBe(true);
  expect(lacksFills({ fillsThrough: null, volumeUsd: null })).toBe(false);
  expect(lacksFills({ fillsThrough: '2026-01-15T12:00:00.000Z', volumeUsd: 12 })).toBe(false);
});
