import { extendEvents } from './001-extend-events.ts';
import { replaceCandles } from './002-replace-candles.ts';
import { extendDeliveryAttempts } from './003-extend-delivery-attempts.ts';
import { extendTrades } from './004-extend-trades.ts';
import { replaceLedgerEvents } from './005-replace-ledger-events.ts';
import { orderLedgerEvents } from './006-order-ledger-events.ts';
import type { Migration } from './migration.ts';

/** Every change of a declared table, in the order of their numbers. New tables need none. */
export const MIGRATIONS: readonly Migration[] = [
  extendEvents,
  replaceCandles,
  extendDeliveryAttempts,
  extendTrades,
  replaceLedgerEvents,
  orderLedgerEvents,
];
