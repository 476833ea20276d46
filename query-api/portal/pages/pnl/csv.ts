/** Rows of profit and loss as CSV. */
import { csvText } from '../../format/csv.ts';
import type { Row } from './shapes.ts';

const FIELDS = [
  'universalId',
  'canonicalName',
  'walletId',
  'address',
  'label',
  'provider',
  'builder',
  'walletCount',
  'realized',
  'unrealized',
  'openPosition',
  'avgCost',
  'currentPrice',
  'totalNotional',
  'unpriced',
  'tradeCount',
  'fees',
  'coverage',
] as const;

/** What distinguishes a row from the others of its grouping. */
export function idOfRow({ walletId, builder, provider, universalId, legs }: Row): string {
  if (builder !== undefined) return `${provider} ${builder}`;
  return walletId ?? universalId ?? provider ?? legs?.[0]?.marketId ?? legs?.[0]?.tokenId ?? '';
}

/** The columns that any of the rows has. */
export function pnlCsv(rows: readonly Row[]): string {
  const fields = FIELDS.filter((field) => rows.some((row) => row[field] !== undefined));
  return csvText(
    fields,
    rows.map((row) => fields.map((field) => row[field] ?? null)),
  );
}
