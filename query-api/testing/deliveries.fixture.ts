/** Rows of `deliveries` and `delivery_attempts`, as the sink writes them. */
import type { Store } from '#infra/store/store';
import { deliveriesTable } from '#schemas/tables/deliveries';
import { deliveryAttemptsTable } from '#schemas/tables/delivery-attempts';
import type { Delivery, DeliveryAttempt } from '#schemas/topics/webhooks';
import { insertRows } from './insert-rows.fixture.ts';
import { NOON_MS } from './records.fixture.ts';

type Inserter = Pick<Store, 'insert'>;

export function aDelivery(fields: Partial<Delivery> = {}): Delivery {
  return {
    id: 'dlv_1',
    webhookId: 'wh_1',
    orgId: 'org_a',
    eventId: 'we_1',
    eventType: 'event.spread.changed',
    receivedAt: NOON_MS,
    createdAt: NOON_MS,
    test: false,
    body: '{"id":"we_1"}',
    ...fields,
  };
}

export function anAttempt(fields: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  return {
    deliveryId: 'dlv_1',
    webhookId: 'wh_1',
    orgId: 'org_a',
    attempt: 1,
    receivedAt: NOON_MS + 10,
    durationMs: 25,
    status: 200,
    error: null,
    outcome: 'delivered',
    nextAttemptAt: null,
    signature: 'v1,signed',
    ...fields,
  };
}

export const insertDeliveries = (store: Inserter, deliveries: readonly Delivery[], seq = 1) =>
  insertRows(store, deliveriesTable, deliveries, seq);
export const insertAttempts = (store: Inserter, attempts: readonly DeliveryAttempt[], seq = 1) =>
  insertRows(store, deliveryAttemptsTable, attempts, seq);
