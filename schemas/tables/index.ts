/** Every table that the sink fills. */
import { accountFillsTable } from './account-fills.ts';
import { accountFlowsTable } from './account-flows.ts';
import { accountValuesTable } from './account-values.ts';
import { anomaliesTable } from './anomalies.ts';
import { arbitrageTable } from './arbitrage.ts';
import { arbitrageSignalsTable } from './arbitrage-signals.ts';
import { auditLogTable } from './audit-log.ts';
import { bookEventsTable } from './book-events.ts';
import { builderDaysTable } from './builder-days.ts';
import { builderFillsTable } from './builder-fills.ts';
import { candleBarsTable } from './candle-bars.ts';
import { candleRangesTable } from './candle-ranges.ts';
import { dailyRowsTable } from './daily-rows.ts';
import { deliveriesTable } from './deliveries.ts';
import { deliveryAttemptsTable } from './delivery-attempts.ts';
import { disputePhasesTable } from './dispute-phases.ts';
import { eventsTable } from './events.ts';
import { flowCoverageTable } from './flow-coverage.ts';
import { leaderboardTable } from './leaderboard.ts';
import { ledgerChecksTable } from './ledger-checks.ts';
import { marketsTable } from './markets.ts';
import { navSnapshotsTable } from './nav-snapshots.ts';
import { nodeFillsTable } from './node-fills.ts';
import { resolutionsTable } from './resolutions.ts';
import { spreadsTable } from './spreads.ts';
import type { TableSpec } from './table.ts';
import { tradesTable } from './trades.ts';
import { usageTable } from './usage.ts';

/** In the order in which data flows, in which the sink inserts the rows of a batch. */
export const TABLES: readonly TableSpec[] = [
  tradesTable,
  marketsTable,
  disputePhasesTable,
  resolutionsTable,
  candleBarsTable,
  candleRangesTable,
  dailyRowsTable,
  builderFillsTable,
  builderDaysTable,
  leaderboardTable,
  nodeFillsTable,
  eventsTable,
  spreadsTable,
  arbitrageTable,
  arbitrageSignalsTable,
  anomaliesTable,
  accountFillsTable,
  bookEventsTable,
  ledgerChecksTable,
  accountValuesTable,
  navSnapshotsTable,
  accountFlowsTable,
  flowCoverageTable,
  usageTable,
  auditLogTable,
  deliveriesTable,
  deliveryAttemptsTable,
] as readonly TableSpec[];
