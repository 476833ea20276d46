/** Rows of competition stats as CSV. */
import { csvText } from '../../format/csv.ts';
import type { StatsRow } from './shapes.ts';

const FIELDS = [
  'walletId',
  'address',
  'provider',
  'walletCount',
  'accountValueUsd',
  'accountValueAsOf',
  'volumeUsd',
  'realizedPnlUsd',
  'unrealizedPnlUsd',
  'tradingFeeUsd',
  'builderFeeUsd',
  'tradeCount',
  'fillsThrough',
  'netPnlUsd',
  'netDepositsUsd',
  'simpleRoiPct',
  'mwrPct',
  'twrPct',
  'startNavUsd',
  'endNavUsd',
] as const;

/** The columns that any of the rows has. */
export function statsCsv(rows: readonly StatsRow[]): string {
  const fields = FIELDS.filter((field) => rows.some((row) => row[field] !== undefined));
  return csvText(
    fields,
    rows.map((row) => fields.map((field) => row[field] ?? null)),
  );
}
