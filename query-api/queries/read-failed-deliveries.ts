import type { RecoveredDelivery } from '#schemas/domain/control/commands/recover-webhook';
import { query, type Reader } from './query.ts';

/** Selects the failed deliveries of a webhook that were created in a window of time. */
export interface FailedFilter {
  readonly orgId: string;
  readonly webhookId: string;
  /** Unix ms, inclusive. */
  readonly since: number;
  /** Unix ms, exclusive. */
  readonly until: number;
}

export interface FailedTotals {
  readonly deliveries: number;
  /** Of their bodies. */
  readonly bytes: number;
}

/** Deliveries of the window whose newest attempt was the last one and failed. */
const FAILED = `FROM deliveries AS d
     WHERE orgId = {orgId:String} AND webhookId = {webhookId:String}
       AND d.createdAt >= fromUnixTimestamp64Milli({since:Int64})
       AND d.createdAt < fromUnixTimestamp64Milli({until:Int64})
       AND id IN (
         SELECT deliveryId FROM delivery_attempts AS a
         WHERE orgId = {orgId:String} AND webhookId = {webhookId:String}
         GROUP BY deliveryId
         HAVING argMax(outcome, (attempt, version)) = 'failed')`;

/** Counts the failed deliveries of a window. */
export function countFailedDeliveries(store: Reader, filter: FailedFilter): Promise<FailedTotals> {
  return query(store, {
    name: 'failed-delivery-totals',
    sql: `SELECT toUInt32(count()) AS deliveries, toFloat64(sum(length)) AS bytes
     FROM (SELECT id, any(length(d.body)) AS length ${FAILED} GROUP BY id)`,
    parameters: { ...filter },
    parse: ([totals]: FailedTotals[]) => totals!,
  });
}

/** Reads the failed deliveries of a window with their bodies, oldest first. */
export function readFailedDeliveries(store: Reader, filter: FailedFilter, limit: number): Promise<RecoveredDelivery[]> {
  return query(store, {
    name: 'failed-deliveries',
    sql: `SELECT id AS deliveryId, eventId, eventType, body ${FAILED}
     ORDER BY d.createdAt, id, version DESC
     LIMIT 1 BY id
     LIMIT {limit:UInt32}`,
    parameters: { ...filter, limit },
    parse: (rows: RecoveredDelivery[]) => rows,
  });
}
