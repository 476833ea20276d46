import { expect, test } from 'vitest';
import { statsCsv } from './csv.ts';

const ROW = {
  accountValueUsd: 10.5,
  volumeUsd: null,
  realizedPnlUsd: -1,
  unrealizedPnlUsd: null,
  tradingFeeUsd: 0,
  builderFeeUsd: null,
  tradeCount: 3,
  fillsThrough: null,
  accountValueAsOf: '2026-01-15T12:00:00.000Z',
};

test('a row has the columns of its grouping, and an unknown figure is empty, not 0', () => {
  const [header, row] = statsCsv([{ ...ROW, provider: 'venue_b', walletCount: 2 }]).split('\r\n');
  expect(header).toBe(
    'provider,walletCount,accountValueUsd,accountValueAsOf,volumeUsd,realizedPnlUsd,unrealizedPnlUsd,tradingFeeUsd,builderFeeUsd,tradeCount,fillsThrough',
  );
  expect(row).toBe('venue_b,2,10.5,2026-01-15T12:00:00.000Z,,-1,,0,,3,');
});

test('returns are columns where they were requested', () => {
  expect(
    statsCsv([{ ...ROW, provider: 'venue_a', walletId: 'wal_1', address: '0xa', mwrPct: null, twrPct: 0.1 }]),
  ).toContain('mwrPct,twrPct');
});
