import type { Migration } from './migration.ts';

const TABLES = [
  'trades',
  'markets',
  'dispute_phases',
  'resolutions',
  'candles',
  'events',
  'spreads',
  'arbitrage',
  'arbitrage_signals',
  'anomalies',
  'usage',
  'audit_log',
  'deliveries',
  'delivery_attempts',
];

/** Lets every table store the sources of a merge for two minutes. */
export const storeMergedParts: Migration = {
  number: 2,
  name: '002-store-merged-parts',
  sql: TABLES.map((table) => `ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 120`),
};
