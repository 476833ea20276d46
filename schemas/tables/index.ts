/** Every table that the sink fills. */
import { arbitrageTable } from './arbitrage.ts';
import { auditLogTable } from './audit-log.ts';
import { candlesTable } from './candles.ts';
import { deliveriesTable } from './deliveries.ts';
import { deliveryAttemptsTable } from './delivery-attempts.ts';
import { eventsTable } from './events.ts';
import { marketsTable } from './markets.ts';
import { spreadsTable } from './spreads.ts';
import type { TableSpec } from './table.ts';
import { tradesTable } from './trades.ts';
import { usageTable } from './usage.ts';

/** In the order in which data flows. */
export const TABLES: readonly TableSpec[] = [
  tradesTable,
  marketsTable,
  candlesTable,
  eventsTable,
  spreadsTable,
  arbitrageTable,
  usageTable,
  auditLogTable,
  deliveriesTable,
  deliveryAttemptsTable,
] as readonly TableSpec[];
